import { defineErrors } from '../../platform/errors/problem.js';

export const FeedErrors = defineErrors({
  feed_not_found: {
    status: 404,
    message: (id: string) => `Feed ${id} was not found in this sheet.`,
  },
  feed_inconsistent: {
    status: 400,
    message: (problem: string) => `The feed cannot be like this: ${problem}`,
  },
  feed_limit_missing: {
    status: 400,
    message: (perDay: string) =>
      `Computing a row of this sheet calls models or services, and the feed has no limit: ${perDay}. Set rows_per_day, rows_per_hour or cost_per_day. POST feeds/plan says what a day takes.`,
  },
  feed_too_many: {
    status: 409,
    message: (most: number) => `A sheet has at most ${most} feeds. Delete one, or use another sheet.`,
  },
  feed_item_ambiguous: {
    status: 400,
    message: (wanted: string) => `Name the item by ${wanted} alone.`,
  },
});
