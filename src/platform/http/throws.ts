import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { AnyErrorFactory } from '../errors/problem.js';
import { sampleBody } from '../errors/sample-message.js';

export class ErrorBody {
  @ApiProperty({ description: 'Always false.', example: false })
  success: false;

  @ApiProperty({ description: 'The error and how to fix it, as a sentence for people.' })
  message: string;

  @ApiProperty({
    description: 'A stable error code for programs. The description of each response lists the codes it can have.',
  })
  error: string;
}

/** The errors of some route families have no code. */
export class BriefErrorBody {
  @ApiProperty({ description: 'Always false.', example: false })
  success: false;

  @ApiProperty({ description: 'The error and how to fix it.' })
  message: string;
}

export class ValidationDetail {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    description:
      'The path of the invalid value: `body`, `query`, `path` or `header`, then field names and item indexes, from 0.',
    example: ['body', 'title'],
  })
  loc: (string | number)[];

  @ApiProperty({ description: 'A description of the problem, for display.', example: 'Field required' })
  msg: string;

  @ApiProperty({ description: 'The kind of problem, for programs.', example: 'missing' })
  type: string;
}

export class ValidationErrorBody {
  @ApiProperty({ type: () => [ValidationDetail], description: 'The problems found, one item each.' })
  detail: ValidationDetail[];

  @ApiProperty({
    description: 'The first problem as one sentence.',
    example: 'The request is not valid at body.title: Field required.',
  })
  message: string;
}

/** Documents the errors of a handler, from the tables that define them. A test compares handlers with the list. */
export function Throws(...errors: AnyErrorFactory[]): MethodDecorator {
  const statuses = new Set(errors.map((error) => error.definition.status));
  const responses = [...statuses].map((status) => {
    const group = errors.filter((error) => error.definition.status === status);
    return ApiResponse({
      status,
      description: group.map((error) => `\`${error.code}\``).join(', '),
      content: { 'application/json': { schema: bodySchema(group), example: sampleBody(group[0]!) } },
    });
  });
  return applyDecorators(ApiExtraModels(ErrorBody, BriefErrorBody), ...responses);
}

function bodySchema(group: AnyErrorFactory[]): object {
  const names = new Set(group.map(({ definition }) => definition.bodySchema ?? ErrorBody.name));
  const refs = [...names].map((name) => ({ $ref: getSchemaPath(name) }));
  return refs.length === 1 ? refs[0]! : { anyOf: refs };
}
