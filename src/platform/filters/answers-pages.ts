import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { PlatformErrors } from '../errors/platform.errors.js';
import { Throws } from '../http/throws.js';
import { FilterErrors } from './errors.js';

/** Documents the answers and errors of a search that pages by number or by cursor. */
export const AnswersPages = (...models: Type[]): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(...models),
    ApiOkResponse({ schema: { oneOf: models.map((model) => ({ $ref: getSchemaPath(model) })) } }),
    Throws(FilterErrors.filter_invalid, PlatformErrors.cursor_invalid, PlatformErrors.reading_timeout),
  );
