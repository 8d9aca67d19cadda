import { BooleanField, IntegerField } from './fields.js';

export const PageField = () =>
  IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: 1_000_000_000,
    default: 1,
    description: 'The number of the page, from 1. Pages beyond the last one are empty.',
  });

export const PerPageField = (fallback: number) =>
  IntegerField({ optional: true, query: true, min: 1, max: 100, default: fallback, description: 'Items per page.' });

/** The position of a page among all pages. A page beyond the last one is empty. */
export class NumberedPage {
  @IntegerField({ description: 'The number of this page, from 1.' })
  page: number;

  @IntegerField({ description: 'The number of items that a page has at most.' })
  per_page: number;

  @IntegerField({ description: 'The number of pages; an estimate if `total` is one.' })
  pages: number;

  @IntegerField({
    description: 'The number of items on all pages. In searches it may be an estimate, see `total_is_exact`.',
  })
  total: number;

  @BooleanField({ description: 'Whether a page follows this one.' })
  has_next: boolean;

  @BooleanField({ description: 'Whether a page comes before this one.' })
  has_prev: boolean;

  @IntegerField({ nullable: true, description: 'The number of the next page; null on the last one.' })
  next_num: number | null;

  @IntegerField({ nullable: true, description: 'The number of the page before; null on the first one.' })
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

/** A page of the older lists, with less paging information. A page beyond the last one is empty. */
export class BriefNumberedPage {
  @IntegerField({ description: 'The number of this page, from 1.' })
  page: number;

  @IntegerField({ description: 'The number of items that a page has at most.' })
  per_page: number;

  @IntegerField({ description: 'The number of pages.' })
  pages: number;

  @IntegerField({ description: 'The number of items on all pages.' })
  total: number;
}

export function briefNumberedPage(page: number, perPage: number, total: number): BriefNumberedPage {
  return { page, per_page: perPage, pages: Math.ceil(total / perPage), total };
}
