//! Modules that are too big to keep as files, made when a test wants them. Each is a WASI command
//! that would do nothing; what hurts is to load it.

/// Values in a module's binary format.
const I32: u8 = 0x7f;
const LOCAL_GET: u8 = 0x20;
const LOCAL_SET: u8 = 0x21;
const I32_CONST: u8 = 0x41;
const BLOCK: u8 = 0x02;
const LOOP: u8 = 0x03;
const BR_IF: u8 = 0x0d;
const BR_TABLE: u8 = 0x0e;
const I32_ADD: u8 = 0x6a;
const I32_MUL: u8 = 0x6c;
const END: u8 = 0x0b;
const NO_RESULT: u8 = 0x40;

/// A module whose file has about so many bytes, nearly all of them in a section that nobody reads.
/// Over the largest size it is refused before anything is compiled.
pub fn padded(bytes: usize) -> Vec<u8> {
    let mut module = module(&[NOTHING.into()], 1);
    let mut padding = name("padding");
    padding.resize(bytes, 0);
    section(&mut module, 0, &padding);
    module
}

/// A module with a function in which loops lie within each other, so many deep, and so many locals
/// change in the innermost: every loop carries every local, so a small file is work without end.
pub fn knotted(depth: usize, locals: usize) -> Vec<u8> {
    let mut body = vec![1];
    number(&mut body, locals);
    body.push(I32);
    for _ in 0..depth {
        body.extend([LOOP, NO_RESULT]);
    }
    for local in 0..locals {
        for (code, local) in [(LOCAL_GET, local), (LOCAL_GET, local * 7 % locals)] {
            body.push(code);
            number(&mut body, local);
        }
        body.extend([I32_ADD, LOCAL_SET]);
        number(&mut body, local);
    }
    for _ in 0..depth {
        body.extend([LOCAL_GET, 0, BR_IF, 0, END]);
    }
    body.push(END);
    module(&[body], 1)
}

/// A module with so many functions, each a jump over so many blocks to as many targets as there may
/// be.
pub fn jumping(functions: usize, blocks: usize) -> Vec<u8> {
    const TARGETS: usize = 65_000;
    let mut body = vec![1, 1, I32];
    for _ in 0..blocks {
        body.extend([BLOCK, NO_RESULT]);
    }
    body.extend([LOCAL_GET, 0, BR_TABLE]);
    number(&mut body, TARGETS);
    for target in 0..=TARGETS {
        number(&mut body, target % blocks);
    }
    for at in 0..blocks {
        body.push(END);
        body.extend([
            LOCAL_GET,
            0,
            I32_CONST,
            (at % 64) as u8,
            I32_MUL,
            LOCAL_SET,
            0,
        ]);
    }
    body.push(END);
    module(&vec![body; functions], 1)
}

/// A module whose data, of so many bytes, fills its memory from the start.
pub fn with_data(bytes: usize) -> Vec<u8> {
    const PAGE: usize = 64 * 1024;
    let mut module = module(&[NOTHING.into()], bytes.div_ceil(PAGE));
    let mut data = vec![1, 0, I32_CONST, 0, END];
    number(&mut data, bytes);
    data.resize(data.len() + bytes, 0x5a);
    section(&mut module, 11, &data);
    module
}

/// A function without locals that does nothing.
const NOTHING: [u8; 2] = [0, END];

/// A module with so many pages of memory and these functions, without parameters and results; the
/// first is its start.
fn module(functions: &[Vec<u8>], pages: usize) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    section(&mut module, 1, &[1, 0x60, 0, 0]);
    let mut types = Vec::new();
    number(&mut types, functions.len());
    types.resize(types.len() + functions.len(), 0);
    section(&mut module, 3, &types);
    let mut memory = vec![1, 0];
    number(&mut memory, pages);
    section(&mut module, 5, &memory);
    let exports = [
        vec![2],
        name("memory"),
        vec![2, 0],
        name("_start"),
        vec![0, 0],
    ];
    section(&mut module, 7, &exports.concat());
    let mut code = Vec::new();
    number(&mut code, functions.len());
    for body in functions {
        number(&mut code, body.len());
        code.extend(body);
    }
    section(&mut module, 10, &code);
    module
}

fn section(module: &mut Vec<u8>, id: u8, content: &[u8]) {
    module.push(id);
    number(module, content.len());
    module.extend(content);
}

fn name(text: &str) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(text.len()).expect("names are short")];
    bytes.extend(text.as_bytes());
    bytes
}

/// Writes a number as WebAssembly does, seven bits a byte.
fn number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
