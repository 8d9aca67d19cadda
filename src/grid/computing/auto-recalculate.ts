/**
 * Which stale cells of a sheet are computed at once, like those of a spreadsheet: none, those that the server computes by
 * itself, or all, those included whose results come from outside and may cost money.
 */
export const AUTO_RECALCULATE = ['off', 'deterministic', 'all'] as const;
export type AutoRecalculate = (typeof AUTO_RECALCULATE)[number];
