import { BooleanField, IntegerField } from './fields.js';

export const PageField = () => IntegerField({ optional: true, query: true, min: 1, max: 1_000_000_000, default: 1 });

export const PerPageField = (fallback: number) =>
  IntegerField({ optional: true, query: true, min: 1, max: 100, default: fallback, description: 'Items per page.' });

/** Where a page is among all pages. A page beyond the last one is empty. */
export class NumberedPage {
  @IntegerField()
  page: number;

  @IntegerField()
  per_page: number;

  @IntegerField({ description: 'How many pages there are. It is an estimate when `total` is one.' })
  pages: number;

  @IntegerField({
    description: 'How many items all pages have together. In searches it may be an estimate: see `total_is_exact`.',
  })
  total: number;

  @BooleanField()
  has_next: boolean;

  @BooleanField()
  has_prev: boolean;

  @IntegerField({ nullable: true })
  next_num: number | null;

  @IntegerField({ nullable: true })
  prev_num: number | null;
}

export function numberedPage(page: number, perPage: number, total: number): NumberedPage {
  const pages = Math.ceil(total / perPage);
  const [hasNext, hasPrev] = [page < pages, page > 1];
  return {
    page,
    per_page: perPage,
    pages,
    total,
    has_next: hasNext,
    has_prev: hasPrev,
    next_num: hasNext ? page + 1 : null,
    prev_num: hasPrev ? page - 1 : null,
  };
}

/** A page of the older lists, which say no more of the pages around it. A page beyond the last one is empty. */
export class BriefNumberedPage {
  @IntegerField()
  page: number;

  @IntegerField()
  per_page: number;

  @IntegerField({ description: 'How many pages there are.' })
  pages: number;

  @IntegerField({ description: 'How many items all pages have together.' })
  total: number;
}

export function briefNumberedPage(page: number, perPage: number, total: number): BriefNumberedPage {
  return { page, per_page: perPage, pages: Math.ceil(total / perPage), total };
}
