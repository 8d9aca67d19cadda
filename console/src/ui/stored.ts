import { useState } from 'react';

/** A choice that the browser remembers. The first value is the default. */
export function useStored<T extends string>(key: string, values: readonly [T, ...T[]]): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => values.find((each) => each === localStorage.getItem(key)) ?? values[0]);
  const store = (next: T) => {
    localStorage.setItem(key, next);
    setValue(next);
  };
  return [value, store];
}
