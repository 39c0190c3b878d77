fn main() {
    napi_build::setup();
    // The loader compares this sentinel with the sources' content hash and refuses a stale addon by name.
    println!("cargo:rerun-if-env-changed=TENON_NATIVE_HASH");
    let hash = std::env::var("TENON_NATIVE_HASH").unwrap_or_else(|_| "unhashed".to_owned());
    println!("cargo:rustc-env=TENON_NATIVE_HASH={hash}");
}
