import { applyDecorators, Post, UseInterceptors } from '@nestjs/common';
import { ApiExtraModels, ApiHeader } from '@nestjs/swagger';
import { ValidationErrorBody } from '../throws.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

/**
 * A POST with `Idempotency-Key`. Other routes are plain `@Post()`: routes that only read, routes with raw bodies, whose spans have
 * ids, and routes that answer a secret, which must not be stored. It is bound to routes and not to the application: Nest passes
 * requests through a chain of observables even for an idle interceptor, which takes a tenth of the time of ingesting ten spans.
 */
export const IdempotentPost = (path = '/'): MethodDecorator =>
  applyDecorators(
    Post(path),
    UseInterceptors(IdempotencyInterceptor),
    // `src/openapi.ts` refers to it in the 422 of every route with input.
    ApiExtraModels(ValidationErrorBody),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'A key of your choice that makes retries safe. For a day, a retry with the same key and body gets the first answer and has ' +
        'no second effect. A key that was used for another request is refused with 400 `idempotency_key_reused`, and a key whose ' +
        'request is still running with 503 `idempotency_in_progress`.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    }),
  );
