/** Files (but for their dear tests) and tests that are part of every run although they are dear, with the reason. */
export const KEPT: Record<string, string> = {};
