/**
 * The stale cells of a sheet that are computed automatically: none, those that the server computes alone, or all, which
 * includes external results that may cost money.
 */
export const AUTO_RECALCULATE = ['off', 'deterministic', 'all'] as const;
export type AutoRecalculate = (typeof AUTO_RECALCULATE)[number];
