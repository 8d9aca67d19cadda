import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiConsumes, ApiExtraModels, ApiOkResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { BINARY } from '../../platform/http/binary.js';
import { RawBody } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { TraceErrors } from '../shared/traces.errors.js';

/** Limit of reported reasons. */
export const REASONS_SHOWN = 5;

/** An endpoint of exporters, which answers `response` in the format of the request. */
export const OtlpEndpoint = (response: Type, headers?: ApiResponseOptions['headers']): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    RawBody(),
    ApiConsumes('application/json', 'application/x-protobuf'),
    ApiExtraModels(response),
    ApiOkResponse({
      description: 'The answer has the format of the request. In protobuf an empty message means full success.',
      headers,
      content: { 'application/json': { schema: { $ref: getSchemaPath(response) } }, 'application/x-protobuf': BINARY },
    }),
    Throws(
      TraceErrors.otlp_unreadable,
      TraceErrors.otlp_media_type_unsupported,
      PlatformErrors.memory_exhausted,
      PlatformErrors.encoding_unreadable,
      PlatformErrors.encoding_unsupported,
      PlatformErrors.body_too_large,
      PlatformErrors.database_unavailable,
    ),
  );
