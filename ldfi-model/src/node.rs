//! Nodes. Inside, a node is its place in the list of nodes; its name is for the edge.

use std::collections::HashMap;
use std::fmt;

/// A node, by its place in the list of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

impl Node {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `count` nodes.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Node> + Clone {
        (0..u32::try_from(count).unwrap_or(u32::MAX)).map(Node)
    }
}

/// A name that is not a node's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownNode {
    /// The name.
    pub node: String,
    /// The nodes that there are.
    pub nodes: Vec<String>,
}

impl fmt::Display for UnknownNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a node; the nodes are {}", self.node, self.nodes.join(", "))
    }
}

impl std::error::Error for UnknownNode {}

/// The node of that name.
///
/// # Errors
/// If there is none.
pub fn place(name: &str, nodes: &[String]) -> Result<Node, UnknownNode> {
    let place = nodes.iter().position(|n| n == name).and_then(|place| u32::try_from(place).ok());
    place.map(Node).ok_or_else(|| UnknownNode { node: name.to_owned(), nodes: nodes.to_vec() })
}

/// Nodes by name, for many questions about the same list.
pub(crate) struct Places<'n> {
    nodes: &'n [String],
    places: HashMap<&'n str, u32>,
}

impl<'n> Places<'n> {
    pub(crate) fn new(nodes: &'n [String]) -> Self {
        let mut places = HashMap::with_capacity(nodes.len());
        for (place, name) in (0..).zip(nodes) {
            places.entry(name.as_str()).or_insert(place);
        }
        Places { nodes, places }
    }

    /// [`place`]
    pub(crate) fn of(&self, name: &str) -> Result<Node, UnknownNode> {
        self.places.get(name).map_or_else(|| place(name, self.nodes), |at| Ok(Node(*at)))
    }
}
