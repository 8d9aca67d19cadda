import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse } from '@nestjs/swagger';
import type { AnyErrorFactory } from '../../platform/errors/problem.js';
import { componentOf } from '../../platform/http/fields.js';
import { Throws } from '../../platform/http/throws.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { ForProviders } from './http.js';
import { ChangesVersion, KnowsVersion, PatchBody } from './scim-operations.js';

const VALUE_ERRORS = [ScimErrors.scim_syntax_invalid, ScimErrors.scim_value_invalid, ScimErrors.scim_uniqueness];

/** Decorators of the routes of a kind of resource. `noun` is its name in the document, such as `user`. */
export function routesOf(noun: string, component: string) {
  const schema = componentOf(component);
  const bodyOf = (value: object) => ApiBody({ schema, examples: { [noun]: { value } } });
  return {
    Lists: (type: new () => object) =>
      applyDecorators(
        ForProviders(),
        ApiOkResponse({ type }),
        Throws(ScimErrors.scim_filter_invalid, ScimErrors.scim_path_invalid, ScimErrors.scim_value_invalid),
      ),
    Creates: (example: object) =>
      applyDecorators(
        ForProviders(),
        bodyOf(example),
        ApiCreatedResponse({ schema, description: `The ${noun}.` }),
        Throws(...VALUE_ERRORS),
      ),
    Reads: () =>
      applyDecorators(
        ForProviders(),
        KnowsVersion(),
        ApiOkResponse({ schema, description: `The ${noun}.` }),
        Throws(ScimErrors.scim_resource_not_found, ScimErrors.scim_value_invalid),
      ),
    Replaces: (example: object) =>
      applyDecorators(
        ForProviders(),
        ChangesVersion(),
        bodyOf(example),
        ApiOkResponse({ schema, description: `The ${noun} after the request.` }),
        Throws(ScimErrors.scim_resource_not_found, ...VALUE_ERRORS),
      ),
    Patches: (examples: Record<string, { value: object }>, description: string, ...errors: AnyErrorFactory[]) =>
      applyDecorators(
        ForProviders(),
        ChangesVersion(),
        ApiBody({ type: PatchBody, examples }),
        ApiOkResponse({ schema, description }),
        Throws(
          ScimErrors.scim_resource_not_found,
          ...VALUE_ERRORS,
          ScimErrors.scim_path_invalid,
          ...errors,
          ScimErrors.scim_path_required,
          ScimErrors.scim_mutability,
          ScimErrors.scim_filter_invalid,
        ),
      ),
    Deletes: () =>
      applyDecorators(
        ForProviders(),
        ChangesVersion(),
        HttpCode(204),
        ApiNoContentResponse({ description: `The ${noun} was deleted.` }),
        Throws(ScimErrors.scim_resource_not_found, ScimErrors.scim_value_invalid),
      ),
  };
}
