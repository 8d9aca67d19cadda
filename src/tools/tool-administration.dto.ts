import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
import { PathIdField, SuccessField } from '../platform/http/common-fields.js';
import { IntegerField, MAX_ID, TextField } from '../platform/http/fields.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { ToolLabelBody } from './tools.dto.js';
import type { ToolChange } from './tools.service.js';

export class ManagedToolPath extends WorkspacePath {
  @PathIdField('The id of the tool, from the list of tools.')
  tool_id: number;
}

export class ManagedToolLabelPath extends ManagedToolPath {
  @TextField({ query: true, minLength: 1, maxLength: 255, description: 'The name of the label, such as `production`.' })
  tool_label: string;
}

@Closed()
export class UpdateToolRequest {
  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 255,
    description: 'The new name, unique in the workspace. Without it the name stays.',
  })
  name?: string;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description: 'The purpose of the tool; null removes it. Without it the description stays.',
    example: 'Multiplies two numbers.',
  })
  description?: string | null;
}

@Closed()
export class PlaceToolLabelRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'The version to put the label on.', example: 1 })
  version_number: number;
}

export class ToolLabelResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ToolLabelBody, description: 'The label with the version that it names now.' })
  label: ToolLabelBody;
}

export class ToolDeletedResponse {
  @SuccessField()
  success: true;
}

export const toToolChange = ({ name, description }: UpdateToolRequest): ToolChange => ({
  name: name?.trim(),
  description,
});
