import { ApiProperty } from '@nestjs/swagger';
import { type FieldDescription, FilterFieldBody, toFilterFieldBody } from '../../platform/filters/described-fields.js';
import { EnumField } from '../../platform/http/fields.js';

class RequestFieldBody extends FilterFieldBody {
  @EnumField(['request'], { description: 'Fields of traces have other levels; see GET …/traces/search/fields.' })
  level: string;
}

export class RequestFieldsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [RequestFieldBody] })
  fields: RequestFieldBody[];
}

export function toRequestFieldsResponse(fields: FieldDescription[]): RequestFieldsResponse {
  return { success: true, fields: fields.map((field) => ({ ...toFilterFieldBody(field), level: 'request' })) };
}
