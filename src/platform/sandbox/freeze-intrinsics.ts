/** Freezes the constructors and prototypes of the language, and all that they hold. */
export function freezeIntrinsics(): void {
  const found = new Set<unknown>();
  const freeze = (value: unknown) => {
    const isObject = typeof value === 'function' || (typeof value === 'object' && value !== null);
    if (!isObject || found.has(value)) return;
    found.add(value);
    freeze(Object.getPrototypeOf(value));
    for (const { value: member, get, set } of Object.values(Object.getOwnPropertyDescriptors(value)))
      [member, get, set].forEach(freeze);
    Object.freeze(value);
  };
  [...CONSTRUCTORS.map((name) => (globalThis as Record<string, unknown>)[name]), ...WITHOUT_NAMES].forEach(freeze);
}

const CONSTRUCTORS = (
  'Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp Error AggregateError EvalError RangeError ' +
  'ReferenceError SyntaxError TypeError URIError ArrayBuffer SharedArrayBuffer Uint8Array Int8Array Uint16Array Int16Array ' +
  'Uint32Array Int32Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map Set WeakMap ' +
  'WeakSet WeakRef FinalizationRegistry Proxy Reflect Math JSON Atomics WebAssembly TextDecoder TextEncoder'
).split(' ');

/** Objects whose prototypes no global name leads to. */
const WITHOUT_NAMES = [
  [][Symbol.iterator](),
  new Map().entries(),
  new Set().values(),
  ''[Symbol.iterator](),
  'x'.matchAll(/x/g),
  function* () {},
  async function () {},
  async function* () {},
];
