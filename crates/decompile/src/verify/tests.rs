//! Pairs of small modules, compiled by the interpreters.

#[test]
#[ignore = "an experiment: VERIFY_PAIRS lists pairs of .pyc files, one pair a line"]
fn listed_pairs() {
    let list = std::env::var("VERIFY_PAIRS").expect("VERIFY_PAIRS");
    for line in std::fs::read_to_string(list).expect("a list").lines() {
        let paths: Vec<&str> = line.split_whitespace().collect();
        let read =
            |path: &str| depyf_bytecode::read_pyc(&std::fs::read(path).expect("a file")).expect("a .pyc");
        let (a, b) = (read(paths[0]), read(paths[1]));
        println!("{line}: {:?}", super::same_code(&a.code, &b.code));
    }
}
