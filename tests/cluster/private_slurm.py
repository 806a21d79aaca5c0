"""A Slurm of its own on 127.0.0.1: munged, slurmctld, and a slurmd for each node; needs root.

A node is a PID namespace, so that SIGKILL ends slurmd and all jobs on it at once, as the loss of a computer
does. Nodes share the computer's file system. Each says that it has a GPU; an empty file stands for it.

As a program it runs a command, with SLURM_CONF set, and ends Slurm after it:

    python tests/cluster/private_slurm.py sinfo
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

NODES = ("n1", "n2")
CORES, MEMORY_MB = 4, 16000
"""Of a node, whatever the computer has."""
PROGRAMS = (
    "munged",
    "slurmctld",
    "slurmd",
    "sbatch",
    "srun",
    "scancel",
    "scontrol",
    "squeue",
    "sinfo",
    "unshare",
)

SLURM_CONF = """\
ClusterName=private
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
# a lost node is noticed within seconds, and one that comes back is used
SlurmdTimeout=10
ReturnToService=2
# by itself Slurm would begin a job of a lost node anew, after two minutes; so Snakemake does, at once
JobRequeue=0
SchedulerParameters=sched_interval=1,sched_min_interval=0
# squeue tells of a job that has ended for as long
MinJobAge=600
KillWait=2
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port}"
    " CPUs={cores} RealMemory={memory} Gres=gpu:1"
)


class PrivateSlurm:
    """Slurm in a folder, from `start` to `stop`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self._munged: subprocess.Popen[bytes] | None = None
        self._controller: subprocess.Popen[bytes] | None = None
        self._nodes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Write the configuration and start all daemons; a missing program ends it with its package."""
        path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        if missing := [name for name in PROGRAMS if shutil.which(name, path=path) is None]:
            sys.exit(f"error: {', '.join(missing)} not found; apt-get install slurm-wlm munge")
        self.environment["PATH"] = path
        host = socket.gethostname().partition(".")[0]
        port, *ports = free_ports(1 + len(NODES))
        shown = {"host": host, "cores": CORES, "memory": MEMORY_MB}
        nodes = [NODE.format(name=name, port=port, **shown) for name, port in zip(NODES, ports, strict=True)]
        text = SLURM_CONF.format(host=host, port=port, folder=self.folder, nodes="\n".join(nodes))
        (self.folder / "slurm.conf").write_text(text)
        gpu = self.folder / "gpu0"  # instead of a device's file
        gpu.touch()
        (self.folder / "gres.conf").write_text(
            "".join(f"NodeName={name} Name=gpu File={gpu}\n" for name in NODES)
        )
        for name in ("state", *(f"spool-{name}" for name in NODES)):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))

        places = {
            "key-file": key,
            "socket": self.folder / "munge.socket",
            "pid-file": self.folder / "munged.pid",
        }
        places |= {"log-file": self.folder / "munged.log", "seed-file": self.folder / "munged.seed"}
        options = [f"--{name}={place}" for name, place in places.items()]
        self._munged = self._run("munged", "--foreground", "--force", *options)
        self._wait_until(lambda: (self.folder / "munge.socket").exists())
        self._controller = self._run("slurmctld", "-D")
        for name in NODES:
            self.start_node(name)
        self._wait_until(lambda: {*self.states().values()} == {"idle"})

    def start_node(self, name: str) -> None:
        """Start a node's slurmd, as process 1 of a PID namespace.

        Its mounts are its own too: /etc/slurm is there our folder, for the plugin hides SLURM_CONF from srun.
        """
        own = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c")
        begin = f"mount --bind {self.folder} /etc/slurm && exec slurmd -D -N {name}"
        self._nodes[name] = self._run(*own, begin, log=name)

    def kill_node(self, name: str) -> None:
        """Kill a node, with SIGKILL, and all that runs on it."""
        self._nodes[name].kill()
        self._nodes.pop(name).wait()

    def stop(self) -> None:
        """End all daemons."""
        for name in [*self._nodes]:
            self.kill_node(name)
        for daemon in (self._controller, self._munged):
            if daemon is not None:
                daemon.kill()
                daemon.wait()

    def states(self) -> dict[str, str]:
        """Return the state of each node, such as idle, or down* for one that does not answer."""
        told = self.ask("sinfo", "--noheader", "--Node", "--format=%N %T").split()
        return dict(zip(told[::2], told[1::2], strict=True))

    def ask(self, *command: str) -> str:
        """Return what a command of Slurm prints; nothing if slurmctld does not answer."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout

    def _run(self, *command: str, log: str = "") -> subprocess.Popen[bytes]:
        with (self.folder / f"{log or command[0]}.log").open("ab") as file:
            return subprocess.Popen(
                command, env=self.environment, stdout=file, stderr=file, start_new_session=True
            )

    def _wait_until(self, come: Callable[[], object], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not come():
            if time.monotonic() > deadline:
                logs = "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))
                raise TimeoutError(f"Slurm does not start\n{logs}")
            time.sleep(0.1)


def free_ports(number: int) -> list[int]:
    """Find ports of 127.0.0.1 on which nothing listens."""
    with contextlib.ExitStack() as stack:
        listening = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in listening:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in listening]


@contextlib.contextmanager
def private_slurm() -> Iterator[PrivateSlurm]:
    """Give a Slurm that runs, in a temporary folder, and end it."""
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        slurm = PrivateSlurm(Path(folder))
        try:
            slurm.start()
            yield slurm
        finally:
            slurm.stop()


if __name__ == "__main__":
    with private_slurm() as slurm:
        sys.exit(subprocess.run(sys.argv[1:], env=slurm.environment, check=False).returncode)
