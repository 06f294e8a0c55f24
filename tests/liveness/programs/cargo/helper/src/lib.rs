pub fn double(n: u64) -> u64 {
    n * 2
}
