fn main() {
    let sum: u64 = (0..4)
        .map(|n| std::thread::spawn(move || helper::double(n)))
        .map(|thread| thread.join().unwrap())
        .sum();
    println!("{} {}", env!("BUILT_BY"), sum);
}

#[test]
fn doubles() {
    assert_eq!(helper::double(21), 42);
}
