import { applyDecorators, Post, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

/**
 * A POST that honours `Idempotency-Key`. The others are plain `@Post()`: those that only read, those that take raw bodies, whose
 * spans are known by their ids, and those whose answer holds a secret, which must not be kept.
 * It is bound to routes, not to the application: Nest carries a request through a chain of observables for an interceptor that has
 * nothing to do as well, which is a tenth of what it costs to take in ten spans.
 */
export const IdempotentPost = (path = '/'): MethodDecorator =>
  applyDecorators(
    Post(path),
    UseInterceptors(IdempotencyInterceptor),
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
