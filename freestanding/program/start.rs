//! The beginning of a program that has no C library: where the kernel starts it, and what the compiler expects of one.
//! The crate has a function `begin`, which gets the stack and does not return.

#![expect(
    unsafe_code,
    reason = "the first instructions find the arguments where the kernel puts them; the functions of memory do what \
              the C library's do"
)]

use core::arch::{asm, naked_asm};

/// Where the kernel starts the program. The stack begins with the number of the arguments.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn _start() -> ! {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("xor ebp, ebp", "mov rdi, rsp", "and rsp, -16", "call {begin}", "ud2", begin = sym crate::begin);
    #[cfg(target_arch = "aarch64")]
    naked_asm!("mov x29, xzr", "mov x30, xzr", "mov x0, sp", "b {begin}", begin = sym crate::begin);
}

#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") length => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags),
        );
    }
    to
}

#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, length: usize) -> *mut u8 {
    unsafe {
        asm!(
            "rep stosb",
            inout("rcx") length => _, inout("rdi") to => _, in("al") byte as u8,
            options(nostack, preserves_flags),
        );
    }
    to
}

#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    for at in 0..length {
        // The assembler keeps the compiler from making a call to this function of the loop.
        unsafe {
            asm!("strb {byte:w}, [{to}]", byte = in(reg) from.add(at).read_volatile(), to = in(reg) to.add(at), options(nostack));
        }
    }
    to
}

#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, length: usize) -> *mut u8 {
    for at in 0..length {
        unsafe { to.add(at).write_volatile(byte as u8) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    if (to as usize).wrapping_sub(from as usize) >= length {
        return unsafe { memcpy(to, from, length) };
    }
    for at in (0..length).rev() {
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, length: usize) -> i32 {
    for at in 0..length {
        let (one, other) = unsafe { (one.add(at).read_volatile(), other.add(at).read_volatile()) };
        if one != other {
            return i32::from(one) - i32::from(other);
        }
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, length: usize) -> i32 {
    unsafe { memcmp(one, other, length) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(text: *const u8) -> usize {
    let mut length = 0;
    while unsafe { text.add(length).read_volatile() } != 0 {
        length += 1;
    }
    length
}
