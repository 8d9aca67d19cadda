/** Sets an own property whatever its name is: `target['__proto__'] = …` would set the prototype instead. */
export function setOwn<V>(target: Record<string, V>, key: string, value: V): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
