#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| depyf_fuzz::decompile(data));
