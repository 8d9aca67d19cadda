/**
 * Applies the difference between `before` and `after`, which a form has made, to the value that the form was filled from.
 * Everything that the form does not know stays as it is: an unedited value is returned itself.
 */
export function withEdits(whole: unknown, before: unknown, after: unknown): unknown {
  if (isSame(before, after)) return whole;
  if (Array.isArray(whole) && Array.isArray(before) && Array.isArray(after)) return listWithEdits(whole, before, after);
  if (!isObject(whole) || !isObject(before) || !isObject(after)) return after;
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const kept = Object.entries(whole).filter(([key]) => !removed.includes(key));
  const edited = Object.entries(after).map(([key, value]) => [key, withEdits(whole[key], before[key], value)]);
  return { ...Object.fromEntries(kept), ...(Object.fromEntries(edited) as object) };
}

/** Finds an unedited element by its value: others may have been removed in front of it. */
function listWithEdits(whole: unknown[], before: unknown[], after: unknown[]): unknown[] {
  return after.map((value, at) => {
    const same = isSame(before[at], value) ? at : before.findIndex((each) => isSame(each, value));
    if (same >= 0) return whole[same];
    return after.length === before.length ? withEdits(whole[at], before[at], value) : value;
  });
}

/** Compares JSON whose keys have the same order, such as two values of one form. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
