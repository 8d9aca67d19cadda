import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { type FieldDescription, FilterFieldBody, toFilterFieldBody } from '../../platform/filters/described-fields.js';
import { EnumField } from '../../platform/http/fields.js';

class RequestFieldBody extends FilterFieldBody {
  @EnumField(['request'], {
    description: 'Always `request`. Fields of traces have other levels, see `GET …/traces/search/fields`.',
  })
  level: string;
}

export class RequestFieldsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [RequestFieldBody],
    description: 'The fields in the order in which forms should show them.',
  })
  fields: RequestFieldBody[];
}

export function toRequestFieldsResponse(fields: FieldDescription[]): RequestFieldsResponse {
  return { success: true, fields: fields.map((field) => ({ ...toFilterFieldBody(field), level: 'request' })) };
}
