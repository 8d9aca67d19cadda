import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
import { IntegerField, MAX_ID, TextField } from '../platform/http/fields.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { ToolLabelBody } from './tools.dto.js';
import type { ToolChange } from './tools.service.js';

export class ManagedToolPath extends WorkspacePath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  tool_id: number;
}

export class ManagedToolLabelPath extends ManagedToolPath {
  @TextField({ query: true, minLength: 1, maxLength: 255 })
  tool_label: string;
}

@Closed()
export class UpdateToolRequest {
  @TextField({ optional: true, minLength: 1, maxLength: 255 })
  name?: string;

  @TextField({ optional: true, nullable: true, maxLength: 4000, example: 'Multiplies two numbers.' })
  description?: string | null;
}

@Closed()
export class PlaceToolLabelRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'The version that the label names from now on.', example: 1 })
  version_number: number;
}

export class ToolLabelResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ToolLabelBody })
  label: ToolLabelBody;
}

export class ToolDeletedResponse {
  @ApiProperty({ example: true })
  success: true;
}

export const toToolChange = ({ name, description }: UpdateToolRequest): ToolChange => ({
  name: name?.trim(),
  description,
});
