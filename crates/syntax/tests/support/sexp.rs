//! The S-expressions that `oracle.py` writes.

#[derive(Debug)]
pub(crate) enum Sexp {
    Node {
        kind: String,
        fields: Vec<(String, Sexp)>,
    },
    List(Vec<Sexp>),
    /// A letter for the type, then the value; `n` is None.
    Atom(String),
}

impl Sexp {
    pub(crate) fn parse(text: &str) -> Self {
        let mut reader = Reader { rest: text };
        let tree = reader.sexp();
        assert_eq!(reader.rest.trim(), "", "text behind the tree");
        tree
    }

    pub(crate) fn kind(&self) -> &str {
        match self {
            Self::Node { kind, .. } => kind,
            other => panic!("no node: {other:?}"),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        matches!(self, Self::Node { fields, .. } if fields.iter().any(|(field, _)| field == name))
    }

    pub(crate) fn get(&self, name: &str) -> &Self {
        match self {
            Self::Node { fields, kind } => match fields.iter().find(|(field, _)| field == name) {
                Some((_, value)) => value,
                None => panic!("{kind} has no {name}"),
            },
            other => panic!("no node: {other:?}"),
        }
    }

    pub(crate) fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            other => panic!("no list: {other:?}"),
        }
    }

    pub(crate) fn atom(&self) -> &str {
        match self {
            Self::Atom(text) => text,
            other => panic!("no atom: {other:?}"),
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::Atom(text) if text == "n")
    }

    pub(crate) fn optional(&self) -> Option<&Self> {
        (!self.is_none()).then_some(self)
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn sexp(&mut self) -> Sexp {
        if self.eat("(") {
            let kind = self.until(&[' ', ')']).to_owned();
            let mut fields = Vec::new();
            while self.eat(" ") {
                let name = self.until(&['=']).to_owned();
                self.eat("=");
                fields.push((name, self.sexp()));
            }
            assert!(self.eat(")"), "{}", self.rest);
            Sexp::Node { kind, fields }
        } else if self.eat("[") {
            let mut items = Vec::new();
            while !self.eat("]") {
                items.push(self.sexp());
                self.eat(" ");
            }
            Sexp::List(items)
        } else {
            Sexp::Atom(self.until(&[' ', ')', ']']).to_owned())
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn until(&mut self, ends: &[char]) -> &'a str {
        let (found, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        found
    }
}
