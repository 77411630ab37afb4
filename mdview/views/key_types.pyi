# Keys of brackets by what they select; written by tests/typing/key_table.py.

from types import EllipsisType
from typing import SupportsIndex, TypeAlias
from mdview.index.slices import All

I: TypeAlias = SupportsIndex
Bound: TypeAlias = SupportsIndex | None
A: TypeAlias = All | slice[None, None, None]
U: TypeAlias = slice[Bound, Bound, None]
K: TypeAlias = slice[Bound, Bound, Bound] | All
E: TypeAlias = EllipsisType
N: TypeAlias = None
Real: TypeAlias = I | K
New: TypeAlias = E | N
Axis: TypeAlias = Real | N
Spec: TypeAlias = Real | New
KeyN: TypeAlias = Spec | tuple[Spec, ...]
NamedField: TypeAlias = str | tuple[str, *tuple[str | int, ...]]
KeyU: TypeAlias = U | tuple[U]
KeyIA: TypeAlias = I | tuple[I] | tuple[I, A] | tuple[I, E]
KeyAI: TypeAlias = tuple[A, I] | tuple[E, I]
KeyAA: TypeAlias = tuple[()] | A | tuple[A] | tuple[A, A] | E | tuple[E]
KeyIU: TypeAlias = tuple[I, U]
KeyUA: TypeAlias = U | tuple[U] | tuple[U, A] | tuple[U, E]
KeyKA: TypeAlias = K | tuple[K] | tuple[K, A] | tuple[K, E]
KeyIIA: TypeAlias = tuple[I, I] | tuple[I, I, A] | tuple[I, I, E]
KeyIAA: TypeAlias = I | tuple[I] | tuple[I, A] | tuple[I, A, A] | tuple[I, E]
KeyAIA: TypeAlias = tuple[A, I] | tuple[A, I, A] | tuple[E, I, A] | tuple[A, I, E]
KeyAAI: TypeAlias = tuple[A, A, I] | tuple[E, I]
KeyUAA: TypeAlias = U | tuple[U] | tuple[U, A] | tuple[U, A, A] | tuple[U, E]
KeyIAAA: TypeAlias = I | tuple[I] | tuple[I, A] | tuple[I, A, A] | tuple[I, A, A, A] | tuple[I, E]
Parts0: TypeAlias = New | tuple[New] | tuple[E, *tuple[N, ...]] | tuple[N, *tuple[New, ...]]
Key1to1: TypeAlias = tuple[()] | K | tuple[K] | E | tuple[E] | tuple[E, K] | tuple[K, E] | tuple[N, I] | tuple[I, N]
Key1to2: TypeAlias = N | tuple[N] | tuple[N, K] | tuple[K, N] | tuple[N, E] | tuple[E, N]
Mixed1: TypeAlias = tuple[E, *tuple[Axis, ...]] | tuple[N, *tuple[Spec, ...]] | tuple[Real, E, *tuple[N, ...]] | tuple[Real, N, *tuple[New, ...]]
Parts1: TypeAlias = New | tuple[New] | tuple[()] | K | tuple[K] | tuple[E, *tuple[Axis, ...]] | tuple[N, *tuple[Spec, ...]] | tuple[Real, E, *tuple[N, ...]] | tuple[Real, N, *tuple[New, ...]]
Key2to1: TypeAlias = I | tuple[I] | tuple[I, K] | tuple[K, I] | tuple[E, I] | tuple[E, I, K] | tuple[E, K, I] | tuple[I, E] | tuple[I, K, E] | tuple[K, I, E] | tuple[N, I, I] | tuple[I, I, N]
Key2to2: TypeAlias = tuple[()] | K | tuple[K] | tuple[K, K] | E | tuple[E] | tuple[E, K] | tuple[E, K, K] | tuple[K, E] | tuple[K, K, E] | tuple[N, I] | tuple[N, I, K] | tuple[N, K, I] | tuple[I, N] | tuple[I, K, N] | tuple[K, I, N]
Key2to3: TypeAlias = N | tuple[N] | tuple[N, K] | tuple[N, K, K] | tuple[K, N] | tuple[K, K, N] | tuple[N, E] | tuple[E, N]
Mixed2: TypeAlias = tuple[E, *tuple[Axis, ...]] | tuple[N, *tuple[Spec, ...]] | tuple[Real, E, *tuple[Axis, ...]] | tuple[Real, N, *tuple[Spec, ...]] | tuple[Real, Real, E, *tuple[N, ...]] | tuple[Real, Real, N, *tuple[New, ...]]
Parts2: TypeAlias = New | tuple[New] | tuple[()] | Real | tuple[Real] | tuple[K, Real] | tuple[I, K] | tuple[E, *tuple[Axis, ...]] | tuple[N, *tuple[Spec, ...]] | tuple[Real, E, *tuple[Axis, ...]] | tuple[Real, N, *tuple[Spec, ...]] | tuple[Real, Real, E, *tuple[N, ...]] | tuple[Real, Real, N, *tuple[New, ...]]
Key3to1: TypeAlias = tuple[I, I] | tuple[I, I, K] | tuple[I, K, I] | tuple[K, I, I] | tuple[E, I, I] | tuple[E, I, I, K] | tuple[E, I, K, I] | tuple[E, K, I, I] | tuple[I, I, E] | tuple[I, I, K, E] | tuple[I, K, I, E] | tuple[K, I, I, E] | tuple[N, I, I, I] | tuple[I, I, I, N]
Key3to2: TypeAlias = I | tuple[I] | tuple[I, K] | tuple[K, I] | tuple[I, K, K] | tuple[K, I, K] | tuple[K, K, I] | tuple[E, I] | tuple[E, I, K] | tuple[E, K, I] | tuple[E, I, K, K] | tuple[E, K, I, K] | tuple[E, K, K, I] | tuple[I, E] | tuple[I, K, E] | tuple[K, I, E] | tuple[I, K, K, E] | tuple[K, I, K, E] | tuple[K, K, I, E] | tuple[N, I, I] | tuple[N, I, I, K] | tuple[N, I, K, I]
Key3to2b: TypeAlias = tuple[N, K, I, I] | tuple[I, I, N] | tuple[I, I, K, N] | tuple[I, K, I, N] | tuple[K, I, I, N]
Key3to3: TypeAlias = tuple[()] | K | tuple[K] | tuple[K, K] | tuple[K, K, K] | E | tuple[E] | tuple[E, K] | tuple[E, K, K] | tuple[E, K, K, K] | tuple[K, E] | tuple[K, K, E] | tuple[K, K, K, E] | tuple[N, I] | tuple[N, I, K] | tuple[N, K, I] | tuple[N, I, K, K] | tuple[N, K, I, K] | tuple[N, K, K, I] | tuple[I, N] | tuple[I, K, N] | tuple[K, I, N] | tuple[I, K, K, N] | tuple[K, I, K, N]
Key3to3b: TypeAlias = tuple[K, K, I, N]
Key3to4: TypeAlias = N | tuple[N] | tuple[N, K] | tuple[N, K, K] | tuple[N, K, K, K] | tuple[K, N] | tuple[K, K, N] | tuple[K, K, K, N] | tuple[N, E] | tuple[E, N]
Mixed3: TypeAlias = tuple[E, *tuple[Axis, ...]] | tuple[N, *tuple[Spec, ...]] | tuple[Real, E, *tuple[Axis, ...]] | tuple[Real, N, *tuple[Spec, ...]] | tuple[Real, Real, E, *tuple[Axis, ...]] | tuple[Real, Real, N, *tuple[Spec, ...]] | tuple[Real, Real, Real, E, *tuple[N, ...]] | tuple[Real, Real, Real, N, *tuple[New, ...]]
Parts3: TypeAlias = New | tuple[New] | tuple[()] | Real | tuple[Real] | tuple[Real, Real] | tuple[K, Real, Real] | tuple[I, K, Real] | tuple[I, I, K] | tuple[E, *tuple[Axis, ...]] | tuple[N, *tuple[Spec, ...]] | tuple[Real, E, *tuple[Axis, ...]] | tuple[Real, N, *tuple[Spec, ...]] | tuple[Real, Real, E, *tuple[Axis, ...]] | tuple[Real, Real, N, *tuple[Spec, ...]]
Parts3b: TypeAlias = tuple[Real, Real, Real, E, *tuple[N, ...]] | tuple[Real, Real, Real, N, *tuple[New, ...]]
Key4to1: TypeAlias = tuple[I, I, I] | tuple[I, I, I, K] | tuple[I, I, K, I] | tuple[I, K, I, I] | tuple[K, I, I, I] | tuple[E, I, I, I] | tuple[E, I, I, I, K] | tuple[E, I, I, K, I] | tuple[E, I, K, I, I] | tuple[E, K, I, I, I] | tuple[I, I, I, E] | tuple[I, I, I, K, E] | tuple[I, I, K, I, E] | tuple[I, K, I, I, E] | tuple[K, I, I, I, E]
Key4to2: TypeAlias = tuple[I, I] | tuple[I, I, K] | tuple[I, K, I] | tuple[K, I, I] | tuple[I, I, K, K] | tuple[I, K, I, K] | tuple[I, K, K, I] | tuple[K, I, I, K] | tuple[K, I, K, I] | tuple[K, K, I, I] | tuple[E, I, I] | tuple[E, I, I, K] | tuple[E, I, K, I] | tuple[E, K, I, I] | tuple[E, I, I, K, K] | tuple[E, I, K, I, K] | tuple[E, I, K, K, I] | tuple[E, K, I, I, K]
Key4to2b: TypeAlias = tuple[E, K, I, K, I] | tuple[E, K, K, I, I] | tuple[I, I, E] | tuple[I, I, K, E] | tuple[I, K, I, E] | tuple[K, I, I, E] | tuple[I, I, K, K, E] | tuple[I, K, I, K, E] | tuple[I, K, K, I, E] | tuple[K, I, I, K, E] | tuple[K, I, K, I, E] | tuple[K, K, I, I, E]
Key4to3: TypeAlias = I | tuple[I] | tuple[I, K] | tuple[K, I] | tuple[I, K, K] | tuple[K, I, K] | tuple[K, K, I] | tuple[I, K, K, K] | tuple[K, I, K, K] | tuple[K, K, I, K] | tuple[K, K, K, I] | tuple[E, I] | tuple[E, I, K] | tuple[E, K, I] | tuple[E, I, K, K] | tuple[E, K, I, K] | tuple[E, K, K, I] | tuple[E, I, K, K, K] | tuple[E, K, I, K, K] | tuple[E, K, K, I, K]
Key4to3b: TypeAlias = tuple[E, K, K, K, I] | tuple[I, E] | tuple[I, K, E] | tuple[K, I, E] | tuple[I, K, K, E] | tuple[K, I, K, E] | tuple[K, K, I, E] | tuple[I, K, K, K, E] | tuple[K, I, K, K, E] | tuple[K, K, I, K, E] | tuple[K, K, K, I, E]
Key4to4: TypeAlias = tuple[()] | K | tuple[K] | tuple[K, K] | tuple[K, K, K] | tuple[K, K, K, K] | E | tuple[E] | tuple[E, K] | tuple[E, K, K] | tuple[E, K, K, K] | tuple[E, K, K, K, K] | tuple[K, E] | tuple[K, K, E] | tuple[K, K, K, E] | tuple[K, K, K, K, E]
Mixed4: TypeAlias = tuple[E, *tuple[Axis, ...]] | tuple[N, *tuple[Spec, ...]] | tuple[Real, E, *tuple[Axis, ...]] | tuple[Real, N, *tuple[Spec, ...]] | tuple[Real, Real, E, *tuple[Axis, ...]] | tuple[Real, Real, N, *tuple[Spec, ...]] | tuple[Real, Real, Real, E, *tuple[Axis, ...]] | tuple[Real, Real, Real, N, *tuple[Spec, ...]] | tuple[Real, Real, Real, Real, E, *tuple[N, ...]]
Mixed4b: TypeAlias = tuple[Real, Real, Real, Real, N, *tuple[New, ...]] | N | tuple[N]
Parts4: TypeAlias = New | tuple[New] | tuple[()] | Real | tuple[Real] | tuple[Real, Real] | tuple[Real, Real, Real] | tuple[K, Real, Real, Real] | tuple[I, K, Real, Real] | tuple[I, I, K, Real] | tuple[I, I, I, K] | tuple[E, *tuple[Axis, ...]] | tuple[N, *tuple[Spec, ...]] | tuple[Real, E, *tuple[Axis, ...]] | tuple[Real, N, *tuple[Spec, ...]] | tuple[Real, Real, E, *tuple[Axis, ...]]
Parts4b: TypeAlias = tuple[Real, Real, N, *tuple[Spec, ...]] | tuple[Real, Real, Real, E, *tuple[Axis, ...]] | tuple[Real, Real, Real, N, *tuple[Spec, ...]] | tuple[Real, Real, Real, Real, E, *tuple[N, ...]] | tuple[Real, Real, Real, Real, N, *tuple[New, ...]] | N | tuple[N]
