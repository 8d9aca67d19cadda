import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { SuccessField } from '../platform/http/common-fields.js';
import { TextField } from '../platform/http/fields.js';
import { boundedText, SchemaField } from '../platform/http/schema-field.js';
import type { FieldOptions } from '../platform/http/field.js';
import { Closed } from '../platform/http/validation.pipe.js';

const SOURCE_LENGTH = 128;
const EXTERNAL_ID_LENGTH = 512;

const SOURCE = 'The other system, such as `crm`.';
const EXTERNAL_ID = 'The id of the entity in that system.';

/** The pair in a path. */
export const SourceField = () =>
  TextField({ query: true, minLength: 1, maxLength: SOURCE_LENGTH, description: SOURCE });

export const ExternalIdField = () =>
  TextField({ query: true, minLength: 1, maxLength: EXTERNAL_ID_LENGTH, description: EXTERNAL_ID });

@Closed()
export class ExternalIdBody {
  @TextField({ minLength: 1, maxLength: SOURCE_LENGTH, description: SOURCE, example: 'crm' })
  source: string;

  @TextField({ minLength: 1, maxLength: EXTERNAL_ID_LENGTH, description: EXTERNAL_ID, example: 'greeting-7' })
  external_id: string;
}

/** Bodies that create something may attach external ids at once. The same pair twice counts once. */
export const ExternalIdList = z
  .array(
    z
      .strictObject({
        source: boundedText(1, SOURCE_LENGTH).meta({ description: SOURCE }),
        external_id: boundedText(1, EXTERNAL_ID_LENGTH).meta({ description: EXTERNAL_ID }),
      })
      .meta({ id: 'ExternalId', description: 'An external ID: the name that another system has for an entity.' }),
  )
  .max(100)
  .transform(distinct);

export const ExternalIdsField = (options: FieldOptions = {}) =>
  SchemaField(ExternalIdList, {
    description: 'External IDs: names that other systems have for the entity.',
    ...options,
  });

/** The external ids of an entity, in responses. */
export const ShownExternalIdsField = (): PropertyDecorator =>
  ApiProperty({
    type: () => [ExternalIdBody],
    description:
      'External IDs: names that other systems have for the entity, in the order they were attached. Empty if there are none.',
  });

export class AttachedExternalIdResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ExternalIdBody, description: 'The pair that is attached now.' })
  external_id: ExternalIdBody;
}

export class ExternalIdsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [ExternalIdBody], description: 'The external IDs, in the order they were attached.' })
  external_ids: ExternalIdBody[];
}

export class DetachedExternalIdResponse {
  @SuccessField()
  success: true;
}

function distinct(pairs: ExternalIdBody[]): ExternalIdBody[] {
  return [...new Map(pairs.map((pair) => [JSON.stringify([pair.source, pair.external_id]), pair])).values()];
}
