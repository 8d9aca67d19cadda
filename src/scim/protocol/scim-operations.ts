import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { EnumField, IntegerField, JsonField, ListField, TextField } from '../../platform/http/fields.js';
import { Throws } from '../../platform/http/throws.js';
import { ScimErrors } from '../shared/scim.errors.js';

/** An error as RFC 7644 words it. */
export class ScimErrorBody {
  @ListField('string', { description: 'The URN of this message.' })
  schemas: string[];

  @TextField({ optional: true, description: 'The kind of error, as RFC 7644 names it.' })
  scimType?: string;

  @TextField({ description: 'The error and how to fix it, as a sentence for people.' })
  detail: string;

  @TextField({ description: 'The status of the response.', example: '400' })
  status: string;
}

/** The body of a PATCH, for the document: `readOperations` reads it. */
export class PatchOperationBody {
  @EnumField(['add', 'replace', 'remove'], { description: 'The kind of change, in any letter case.' })
  op: string;

  @TextField({
    optional: true,
    description: 'The attribute to change, such as `name.givenName` or `emails[type eq "work"].value`.',
  })
  path?: string;

  @JsonField({ optional: true, description: 'The value to add or to set. Without a path an object of attributes.' })
  value?: unknown;
}

export class PatchBody {
  @ListField('string', { optional: true, description: 'The URN of this message.' })
  schemas?: string[];

  @ListField(() => PatchOperationBody, { minItems: 1, maxItems: 1000, description: 'The changes, in their order.' })
  Operations: PatchOperationBody[];
}

/** The fields of every list. */
export class ListBody {
  @ListField('string', { description: 'The URN of this message.' })
  schemas: string[];

  @IntegerField({ description: 'How many resources match the filter.' })
  totalResults: number;

  @IntegerField({ description: 'The place of the first result, from 1.' })
  startIndex: number;

  @IntegerField({ description: 'How many results this page has.' })
  itemsPerPage: number;
}

/** A route that reads one resource with a version. */
export const KnowsVersion = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'If-None-Match', required: false, description: 'The version that the client has.' }),
    ApiResponse({ status: 304, description: 'The client has this version.' }),
  );

/** A route that changes one resource with a version. */
export const ChangesVersion = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: 'The version that the client has read. Another one is refused with 412.',
    }),
    Throws(ScimErrors.scim_version_outdated),
  );
