"""MPI programs of Debian's packages, on its Open MPI, with inputs that take them seconds."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PYTHON = "/usr/bin/python3"


@dataclass(frozen=True)
class Packaged:
    """A program of a package."""

    name: str
    what: str  # its language, and what it does beside messages and collectives
    needs: str  # a file of the package
    package: str
    # Writes the inputs into the folder it runs in; returns the command.
    command: Callable[[Path], list[str]]
    # Cuts the input into parts, one a rank.
    cut: Callable[[Path, int], None] | None = None


def alignment(folder: Path, species: int, sites: int) -> None:
    """Sequences of an evolution by chance, as PHYLIP has them."""
    chance = random.Random(1)
    ancestor = [chance.choice("ACGT") for _ in range(sites)]
    rows = [f"{species} {sites}"]
    for number in range(species):
        each = [chance.choice("ACGT") if chance.random() < 0.2 else base for base in ancestor]
        rows.append(f"species{number:<6}{''.join(each)}")
    (folder / "alignment.phy").write_text("\n".join(rows) + "\n")


def wrote(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return name


def abinit(folder: Path) -> list[str]:
    text = """ecut 16 acell 3*10.2 rprim 0 .5 .5 .5 0 .5 .5 .5 0
ntypat 1 znucl 14 natom 2 typat 1 1 xred 0 0 0 .25 .25 .25
pp_dirpath "/usr/share/abinit/psp" pseudos "14si.pspnc"
ngkpt 4 4 4 shiftk 0 0 0 nstep 6 toldfe 1e-6 prtwf 0 prtden 0 prteig 0 prtgsr 0
"""
    return ["abinit", wrote(folder, "silicon.abi", text)]


def pwscf(folder: Path) -> list[str]:
    text = """&control calculation='scf' pseudo_dir='/usr/share/abinit/psp' outdir='.' /
&system ibrav=2 celldm(1)=10.2 nat=2 ntyp=1 ecutwfc=30 /
&electrons conv_thr=1e-6 /
ATOMIC_SPECIES
Si 28.086 14-Si.nlcc.UPF
ATOMIC_POSITIONS alat
Si 0 0 0
Si .25 .25 .25
K_POINTS automatic
4 4 4 0 0 0
"""
    return ["pw.x", "-in", wrote(folder, "silicon.in", text)]


def elk(folder: Path) -> list[str]:
    text = """tasks
  0

maxscl
  4

avec
  5.13 5.13 0.0
  5.13 0.0 5.13
  0.0 5.13 5.13

sppath
  '/usr/share/elk-lapw/species/'

atoms
  1
  'Si.in'
  2
  0.0 0.0 0.0 0 0 0
  0.25 0.25 0.25 0 0 0

ngridk
  2 2 2

"""
    wrote(folder, "elk.in", text)
    return ["elk-lapw"]


def nwchem(folder: Path) -> list[str]:
    text = """start water
geometry
 O 0 0 0
 H 0 0.757 0.587
 H 0 -0.757 0.587
end
basis
 * library 6-311g**
end
task scf energy
"""
    return ["nwchem.openmpi", wrote(folder, "water.nw", text)]


EXAMPLES = Path("/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam")


def ico_foam(folder: Path) -> list[str]:
    """The lid-driven cavity, its mesh refined."""
    shutil.copytree(EXAMPLES / "cavity" / "cavity", folder, dirs_exist_ok=True)
    for name, old, new in (
        ("blockMeshDict", "(20 20 1)", "(120 120 1)"),
        ("controlDict", "deltaT          0.005", "deltaT          0.0005"),
        ("controlDict", "endTime         0.5", "endTime         0.015"),
        ("controlDict", "writeInterval   20", "writeInterval   1000"),
    ):
        file = folder / "system" / name
        file.write_text(file.read_text().replace(old, new))
    return ["icoFoam", "-parallel"]


def decompose(folder: Path, ranks: int) -> None:
    text = f"""FoamFile {{ version 2.0; format ascii; class dictionary; object decomposeParDict; }}
numberOfSubdomains {ranks};
method simple;
coeffs {{ n ({ranks} 1 1); }}
"""
    wrote(folder, "system/decomposeParDict", text)
    os.environ["WM_PROJECT_DIR"] = "/usr/share/openfoam"  # for the run, too
    for command in ("blockMesh", "decomposePar"):
        subprocess.run([command], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def mpqc(folder: Path) -> list[str]:
    text = """molecule<Molecule>: ( symmetry = C2V unit = angstrom
  { atoms geometry } = { O [ 0 0 0.37 ] H [ 0.78 0 -0.18 ] H [ -0.78 0 -0.18 ] } )
basis<GaussianBasisSet>: ( name = "STO-3G" molecule = $:molecule )
mpqc: ( checkpoint = no savestate = no
  mole<CLHF>: ( molecule = $:molecule basis = $:basis ) )
"""
    return ["mpqc", "-messagegrp", "<MPIMessageGrp>:()", wrote(folder, "water.in", text)]


def lammps(folder: Path) -> list[str]:
    text = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 20
run 1000
"""
    return ["lmp", "-in", wrote(folder, "melt.in", text)]


def hpcc(folder: Path) -> list[str]:
    text = """HPLinpack input
none
HPL.out
8
1
1500
1
32
0
1
1
1
16.0
1
2
1
4
1
2
1
1
1
0
1
0
2
64
0
0
1
8
0
1
0
1
0
"""
    wrote(folder, "hpccinf.txt", text)
    return ["hpcc"]


def iqtree(folder: Path) -> list[str]:
    alignment(folder, 20, 1500)
    return ["iqtree2-mpi", "-s", "alignment.phy", "-m", "JC", "-T", "1", "-seed", "1", "-redo"]


def phyml(folder: Path) -> list[str]:
    alignment(folder, 12, 1000)
    return ["phyml-mpi", "-i", "alignment.phy", "-m", "JC69", "-b", "4", "--no_memory_check"]


def garli(folder: Path) -> list[str]:
    alignment(folder, 6, 200)
    text = """[general]
datafname = alignment.phy
streefname = stepwise
attachmentspertaxon = 10
ofprefix = garli
randseed = 1
genthreshfortopoterm = 200
stopgen = 300
searchreps = 1
writecheckpoints = 0
restart = 0
outgroup = 1
outputeachbettertopology = 0
datatype = nucleotide
ratematrix = 1rate
statefrequencies = equal
ratehetmodel = none
numratecats = 1
invariantsites = none
[master]
nindivs = 4
holdover = 1
selectionintensity = .5
holdoverpenalty = 0
stopgen = 300
stoptime = 100
bootstrapreps = 0
"""
    return ["garli-mpi", "-2", wrote(folder, "garli.conf", text)]


def grid(folder: Path) -> str:
    """A graph of 400 x 400 vertices, as Scotch has it."""
    side = 400
    rows = []
    for at in range(side * side):
        x, y = at % side, at // side
        beside = [
            (x + dx) + (y + dy) * side
            for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1))
            if 0 <= x + dx < side and 0 <= y + dy < side
        ]
        rows.append(" ".join(map(str, [len(beside), *beside])))
    arcs = 4 * side * (side - 1)
    return wrote(folder, "grid.grf", f"0\n{side * side} {arcs}\n0 000\n" + "\n".join(rows) + "\n")


def mpb(folder: Path) -> list[str]:
    text = """(set! num-bands 4)
(set! k-points (list (vector3 0 0 0) (vector3 0.5 0 0)))
(set! geometry (list (make cylinder (center 0 0 0) (radius 0.2) (height infinity)
                     (material (make dielectric (epsilon 12))))))
(set! geometry-lattice (make lattice (size 1 1 no-size)))
(set! resolution 64)
(run-te)
"""
    return ["mpb-mpi", wrote(folder, "rods.ctl", text)]


def python(text: str) -> Callable[[Path], list[str]]:
    return lambda folder: [PYTHON, wrote(folder, "program.py", text)]


MEEP = """import meep as mp
simulation = mp.Simulation(cell_size=mp.Vector3(8, 4), resolution=10,
    boundary_layers=[mp.PML(1.0)],
    sources=[mp.Source(mp.ContinuousSource(frequency=0.15), mp.Ez, mp.Vector3(-3))])
simulation.run(until=20)
"""
H5PY = """from mpi4py import MPI
import h5py, numpy
comm = MPI.COMM_WORLD
with h5py.File("data.h5", "w", driver="mpio", comm=comm) as file:
    data = file.create_dataset("data", (100, comm.size, 4096), dtype="f8")
    for step in range(100):
        with data.collective:
            data[step, comm.rank, :] = numpy.full(4096, step + comm.rank)
with h5py.File("data.h5", "r", driver="mpio", comm=comm) as file:
    assert file["data"][99, comm.rank, 0] == 99 + comm.rank
"""
ONE_SIDED = """from mpi4py import MPI
import numpy
comm = MPI.COMM_WORLD
memory = numpy.zeros(1000)
window = MPI.Win.Create(memory, comm=comm)
mine = numpy.full(1000, comm.rank, dtype=float)
for step in range(5000):
    window.Fence()
    window.Put(mine, (comm.rank + 1) % comm.size)
    window.Fence()
    assert memory[0] == (comm.rank - 1) % comm.size
for step in range(5000):
    window.Lock((comm.rank + 1) % comm.size)
    window.Accumulate(mine, (comm.rank + 1) % comm.size, op=MPI.SUM)
    window.Unlock((comm.rank + 1) % comm.size)
comm.Barrier()
window.Free()
"""
FILES = """from mpi4py import MPI
import numpy
comm = MPI.COMM_WORLD
file = MPI.File.Open(comm, "data", MPI.MODE_CREATE | MPI.MODE_RDWR)
mine, back = numpy.full(4096, comm.rank, dtype="d"), numpy.empty(4096)
for step in range(200):
    file.Write_at_all((step * comm.size + comm.rank) * mine.nbytes, mine)
    file.Write_ordered(mine)
    file.Sync()
    file.Read_at_all(comm.rank * mine.nbytes, back)
file.Close()
"""

PROGRAMS = [
    Packaged("abinit", "Fortran", "/usr/bin/abinit", "abinit", abinit),
    Packaged("pw.x", "Fortran", "/usr/bin/pw.x", "quantum-espresso", pwscf),
    Packaged("elk", "Fortran", "/usr/bin/elk-lapw", "elk-lapw", elk),
    Packaged(
        "nwchem", "Fortran, shared memory", "/usr/bin/nwchem.openmpi", "nwchem-openmpi", nwchem
    ),
    Packaged("icoFoam", "C++", str(EXAMPLES), "openfoam-examples", ico_foam, decompose),
    Packaged("mpqc", "C++, threads", "/usr/bin/mpqc", "mpqc", mpqc),
    Packaged("lammps", "C++", "/usr/bin/lmp", "lammps", lammps),
    Packaged("hpcc", "C", "/usr/bin/hpcc", "hpcc", hpcc),
    Packaged("iqtree", "C++, finalizes in exit", "/usr/bin/iqtree2-mpi", "iqtree", iqtree),
    Packaged("phyml", "C", "/usr/bin/phyml-mpi", "phyml", phyml),
    Packaged("garli", "C++", "/usr/bin/garli-mpi", "garli-mpi", garli),
    Packaged("dgord", "C, threads", "/usr/bin/dgord", "ptscotch",
             lambda f: ["dgord", grid(f), "order.ord"]),
    Packaged("dgpart", "C, threads", "/usr/bin/dgpart", "ptscotch",
             lambda f: ["dgpart", "4", grid(f), "parts.map"]),
    Packaged("mpb", "C, Scheme, parallel HDF5", "/usr/bin/mpb-mpi", "mpb-mpi", mpb),
    Packaged("meep", "C++, Python", "/usr/lib/python3/dist-packages/meep",
             "python3-meep-openmpi", python(MEEP)),
    Packaged("h5py", "Python, parallel HDF5",
             "/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi", "python3-h5py-mpi",
             python(H5PY)),
    Packaged("mpi4py one-sided", "Python, one-sided", "/usr/lib/python3/dist-packages/mpi4py",
             "python3-mpi4py", python(ONE_SIDED)),
    Packaged("mpi4py files", "Python, parallel files", "/usr/lib/python3/dist-packages/mpi4py",
             "python3-mpi4py", python(FILES)),
]  # fmt: skip
