fn main() {
    println!("cargo:rustc-env=BUILT_BY=build-script");
}
