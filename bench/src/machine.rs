//! The machine on which something was measured.

use std::fmt;

use flipside_operations::cores;
use serde::{Deserialize, Serialize};

/// What of a machine decides how fast it is, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The model of its CPU; empty where the system does not tell it.
    pub cpu: String,
    /// How many CPUs this process may use.
    pub cpus: usize,
    /// The system and its release: `Linux 6.12.0`.
    pub kernel: String,
}

impl Machine {
    /// This machine.
    pub fn this() -> Self {
        let name = rustix::system::uname();
        let words = [name.sysname(), name.release()].map(|word| word.to_string_lossy());
        Machine {
            cpu: model(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            cpus: cores().get(),
            kernel: words.join(" "),
        }
    }

    /// What is different of another machine, in words.
    pub fn differences(&self, other: &Machine) -> Vec<String> {
        let told = |cpu: &String| match cpu.as_str() {
            "" => "unknown".to_owned(),
            cpu => cpu.to_owned(),
        };
        let pairs = [
            ("CPU", told(&self.cpu), told(&other.cpu)),
            ("CPUs", self.cpus.to_string(), other.cpus.to_string()),
            ("kernel", self.kernel.clone(), other.kernel.clone()),
        ];
        let differ = pairs.into_iter().filter(|(_, one, other)| one != other);
        differ
            .map(|(what, one, other)| format!("{what}: {one}, now {other}"))
            .collect()
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.cpus == 1 { "CPU" } else { "CPUs" };
        write!(f, "{} {plural}", self.cpus)?;
        if !self.cpu.is_empty() {
            write!(f, ", {}", self.cpu)?;
        }
        write!(f, ", {}", self.kernel)
    }
}

/// The model that the kernel names. Where it names none, as on many ARM machines, its numbers stand for it.
fn model(cpuinfo: &str) -> String {
    let value = |key: &str| {
        let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        let found = lines.find(|(name, _)| name.trim() == key);
        found.map(|(_, value)| value.trim().to_owned())
    };
    let numbers = || {
        let (implementer, part) = (value("CPU implementer")?, value("CPU part")?);
        Some(format!("implementer {implementer}, part {part}"))
    };
    value("model name").or_else(numbers).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_of_a_cpu_is_what_the_kernel_names() {
        let intel = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2.0: fast\n";
        assert_eq!(model(intel), "Some CPU @ 2.0: fast");
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(model(arm), "implementer 0x41, part 0xd0c");
        assert_eq!(model("no colon\n"), "");
    }

    #[test]
    fn a_machine_differs_from_another_and_not_from_itself() {
        let this = Machine::this();
        assert_eq!(this.differences(&Machine::this()), Vec::<String>::new());
        let other = Machine {
            cpus: this.cpus + 1,
            kernel: "Other 1".into(),
            ..this.clone()
        };
        assert_eq!(this.differences(&other).len(), 2);
    }
}
