import { ApiProperty } from '@nestjs/swagger';
import { CreatedAtField, SuccessField, UpdatedAtField } from '../platform/http/common-fields.js';
import { ValidationProblem } from '../platform/errors/problem.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { JsonObject } from '../platform/json.js';
import { type Screen, SCREENS } from './saved-view.entity.js';
import type { NewSavedView, SavedViewChange, ShownView } from './saved-views.service.js';

const LONGEST_NAME = 100;
const MOST_PARAMETERS = 40;
const LONGEST_KEY = 60;
/** All keys and values together. Longer addresses do not pass every proxy. */
const LONGEST_QUERY = 6000;

const SCREEN = 'The screen of the console: `requests`, `traces`, `sessions` or `trends`.';
const NAME =
  'The name of the view, without spaces around it. Unique among the shared views of a screen, and among your private ones.';
const QUERY =
  `The URL parameters of the screen, all of them texts: up to ${MOST_PARAMETERS} keys of at most ${LONGEST_KEY} characters, and ` +
  `${LONGEST_QUERY.toLocaleString('en-US')} characters together. The server does not interpret them.`;
const EXAMPLE_QUERY = { status: 'ERROR', days: '7', f: 'engine is gpt-4o' };

export class SavedViewPath {
  @UuidField({ query: true, description: 'The id of the saved view.' })
  saved_view_id: string;
}

@Closed()
export class ListSavedViewsQuery extends CursorQuery {
  @EnumField(SCREENS, { optional: true, query: true, description: 'Only views of this screen.' })
  screen?: Screen;

  @LimitField(100)
  limit?: number;

  @OrderField('asc')
  order?: Order;
}

@Closed()
export class CreateSavedViewRequest {
  @EnumField(SCREENS, { description: SCREEN, example: 'requests' })
  screen: Screen;

  @TextField({ minLength: 1, maxLength: LONGEST_NAME, description: NAME, example: 'Failures of gpt-4o' })
  name: string;

  @JsonObjectField({ values: { type: 'string' }, description: QUERY, example: EXAMPLE_QUERY })
  query: JsonObject;

  @BooleanField({
    optional: true,
    nullable: true,
    description:
      'Whether everybody in the workspace sees the view. Default: false for a user, true for a service key, whose views are always shared. Sharing needs METADATA_EDIT.',
    example: true,
  })
  is_shared?: boolean | null;
}

@Closed()
export class UpdateSavedViewRequest {
  @TextField({
    optional: true,
    minLength: 1,
    maxLength: LONGEST_NAME,
    description: `${NAME} Missing: it stays.`,
    example: 'Failures of gpt-4o this week',
  })
  name?: string;

  @JsonObjectField({ optional: true, values: { type: 'string' }, description: `${QUERY} Missing: they stay.` })
  query?: JsonObject;

  @BooleanField({ optional: true, description: 'Whether everybody in the workspace sees the view. Missing: it stays.' })
  is_shared?: boolean;
}

export class SavedViewBody {
  @UuidField({ description: 'The id of the saved view.' })
  id: string;

  @EnumField(SCREENS, { description: SCREEN })
  screen: Screen;

  @TextField({ description: 'The name of the view.' })
  name: string;

  @JsonObjectField({
    values: { type: 'string' },
    description: 'The URL parameters of the screen.',
    example: EXAMPLE_QUERY,
  })
  query: Record<string, string>;

  @BooleanField({ description: 'True if everybody in the workspace sees the view; false if only its maker does.' })
  is_shared: boolean;

  @BooleanField({ description: 'True if the caller saved it. Views of others can be changed and deleted with ADMIN.' })
  is_own: boolean;

  @IntegerField({ nullable: true, description: 'The member or the service key that saved the view; null if unknown.' })
  created_by: number | null;

  @CreatedAtField('the view')
  created_at: string;

  @UpdatedAtField('the view')
  updated_at: string;
}

export class SavedViewResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => SavedViewBody, description: 'The view; after a deletion as it was.' })
  saved_view: SavedViewBody;
}

export class SavedViewsResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [SavedViewBody],
    description: 'The views of the page, oldest first unless `order` is `desc`.',
  })
  data: SavedViewBody[];
}

/** Throws a ValidationProblem for parameters that are not texts, or too many or too long. */
export function toNewSavedView(body: CreateSavedViewRequest): NewSavedView {
  const { screen, name, query, is_shared: isShared } = body;
  return { screen, name: name.trim(), query: toQuery(query), isShared: isShared ?? null };
}

/** Throws the errors of `toNewSavedView`. */
export function toSavedViewChange({ name, query, is_shared: isShared }: UpdateSavedViewRequest): SavedViewChange {
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(query !== undefined && { query: toQuery(query) }),
    ...(isShared !== undefined && { isShared }),
  };
}

function toQuery(given: JsonObject): Record<string, string> {
  const entries = Object.entries(given);
  if (entries.length > MOST_PARAMETERS)
    throw refusal([], `Dictionary should have at most ${MOST_PARAMETERS} items`, 'too_long');
  let length = 0;
  for (const [key, value] of entries) {
    if (key === '' || key.length > LONGEST_KEY) {
      throw refusal([], `Keys should have 1 to ${LONGEST_KEY} characters`, 'string_too_long');
    }
    if (typeof value !== 'string') throw refusal([key], 'Input should be a valid string', 'string_type');
    length += key.length + value.length;
  }
  if (length > LONGEST_QUERY) {
    throw refusal([], `Keys and values should have at most ${LONGEST_QUERY} characters together`, 'string_too_long');
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

function refusal(path: string[], msg: string, type: string): ValidationProblem {
  return new ValidationProblem([{ loc: ['body', 'query', ...path], msg, type }]);
}

export function toSavedViewBody(view: ShownView): SavedViewBody {
  return {
    id: view.id,
    screen: view.screen,
    name: view.name,
    query: view.query,
    is_shared: view.isShared,
    is_own: view.isOwn,
    created_by: view.createdBy,
    created_at: view.createdAt.toISOString(),
    updated_at: view.updatedAt.toISOString(),
  };
}

export const toSavedViewResponse = (shown: ShownView): SavedViewResponse => ({
  success: true,
  saved_view: toSavedViewBody(shown),
});
