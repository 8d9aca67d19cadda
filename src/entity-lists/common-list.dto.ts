import { type Detail, ValidationProblem } from '../platform/errors/problem.js';
import { EnumField, TextField } from '../platform/http/fields.js';
import { MomentField } from '../platform/filters/moment-field.js';
import { Closed } from '../platform/http/validation.pipe.js';

export const SORT_KEYS = ['created_at', 'updated_at', 'name', 'id'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** Query parameters that all lists of entities share. */
@Closed()
export class CommonListQuery {
  @TextField({
    optional: true,
    query: true,
    maxLength: 320,
    description: 'Only what was created with API keys of this owner. Letter case does not matter.',
  })
  created_by_email?: string;

  @MomentField('Only what was created at this time or later.')
  created_after?: string;

  @MomentField('Only what was created at this time or earlier. A date alone means the whole day.')
  created_before?: string;

  @MomentField('Only what was changed at this time or later.')
  updated_after?: string;

  @MomentField('Only what was changed at this time or earlier. A date alone means the whole day.')
  updated_before?: string;

  @TextField({
    optional: true,
    query: true,
    maxLength: 128,
    description: 'Only the entity with this external ID: the other system. Requires `external_id`.',
  })
  external_source?: string;

  @TextField({
    optional: true,
    query: true,
    maxLength: 512,
    description: 'Only the entity with this external ID: its id in the other system. Requires `external_source`.',
  })
  external_id?: string;

  @EnumField(SORT_KEYS, {
    optional: true,
    query: true,
    description: 'The value to sort by. Default: newest first; entities of folders by name, folders first.',
  })
  sort_by?: SortKey;

  @EnumField(['asc', 'desc'], { optional: true, query: true, description: 'Descending by default.' })
  sort_order?: 'asc' | 'desc';
}

/** The external id in the query, if any. Throws a ValidationProblem when only half of it is given. */
export function externalIdIn(query: CommonListQuery): { source: string; external_id: string } | null {
  const { external_source: source, external_id } = query;
  if (source === undefined && external_id === undefined) return null;
  if (source !== undefined && external_id !== undefined) return { source, external_id };
  const missing = source === undefined ? 'external_source' : 'external_id';
  const detail: Detail = {
    loc: ['query', missing],
    msg: 'external_source and external_id go together',
    type: 'missing',
  };
  throw new ValidationProblem([detail]);
}
