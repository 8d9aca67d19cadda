import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { TextField } from '../platform/http/fields.js';
import { boundedText, SchemaField } from '../platform/http/schema-field.js';
import type { FieldOptions } from '../platform/http/field.js';
import { Closed } from '../platform/http/validation.pipe.js';

const SOURCE_LENGTH = 128;
const EXTERNAL_ID_LENGTH = 512;

@Closed()
export class ExternalIdBody {
  @TextField({ minLength: 1, maxLength: SOURCE_LENGTH, description: 'The other system.', example: 'crm' })
  source: string;

  @TextField({
    minLength: 1,
    maxLength: EXTERNAL_ID_LENGTH,
    description: 'The id of the entity in that system.',
    example: 'greeting-7',
  })
  external_id: string;
}

/** Bodies that create something may attach external ids at once. The same pair twice counts once. */
export const ExternalIdList = z
  .array(
    z
      .strictObject({ source: boundedText(1, SOURCE_LENGTH), external_id: boundedText(1, EXTERNAL_ID_LENGTH) })
      .meta({ id: 'ExternalId', description: 'The name that another system has for an entity.' }),
  )
  .max(100)
  .transform(distinct);

export const ExternalIdsField = (options: FieldOptions = {}) =>
  SchemaField(ExternalIdList, { description: 'Names that other systems have for it.', ...options });

export class AttachedExternalIdResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ExternalIdBody })
  external_id: ExternalIdBody;
}

export class ExternalIdsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [ExternalIdBody], description: 'In the order they were attached.' })
  external_ids: ExternalIdBody[];
}

export class DetachedExternalIdResponse {
  @ApiProperty({ example: true })
  success: true;
}

function distinct(pairs: ExternalIdBody[]): ExternalIdBody[] {
  return [...new Map(pairs.map((pair) => [JSON.stringify([pair.source, pair.external_id]), pair])).values()];
}
