//! The system call.

#![expect(unsafe_code, reason = "a system call is an instruction of its own")]

use core::arch::asm;

/// Makes a system call.
///
/// # Safety
/// What the kernel does with the arguments must be sound.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn raw(number: usize, a: [usize; 6]) -> isize {
    let result;
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") a[0], in("rsi") a[1], in("rdx") a[2],
            in("r10") a[3], in("r8") a[4], in("r9") a[5],
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Makes a system call.
///
/// # Safety
/// What the kernel does with the arguments must be sound.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn raw(number: usize, a: [usize; 6]) -> isize {
    let result;
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a[0] => result,
            in("x1") a[1], in("x2") a[2], in("x3") a[3], in("x4") a[4], in("x5") a[5],
            options(nostack),
        );
    }
    result
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("system calls are written for x86-64 and AArch64");
