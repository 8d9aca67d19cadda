import { ApiProperty } from '@nestjs/swagger';
import { MAX_ID, DateTimeField, IntegerField, TextField } from '../../platform/http/fields.js';
import type { PromptLabel, PromptVersion } from '../registry/prompt.entity.js';

export class LabelledPromptPath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  prompt_id: number;
}

export class LabelPath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  prompt_label_id: number;
}

export class MoveLabelRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The version it points to. Send this or `prompt_version_id`.',
    example: 1,
  })
  prompt_version_number?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_ID })
  prompt_version_id?: number | null;
}

export class CreateLabelRequest extends MoveLabelRequest {
  @TextField({ minLength: 1, maxLength: 255, example: 'canary' })
  name: string;
}

export class LabelResponse {
  @IntegerField()
  id: number;

  @TextField()
  name: string;

  @IntegerField()
  prompt_id: number;

  @IntegerField()
  prompt_version_id: number;

  @IntegerField()
  prompt_version_number: number;

  @DateTimeField()
  created_at: string;
}

export class PromptLabelBody {
  @IntegerField()
  prompt_version_id: number;

  @IntegerField()
  prompt_version_number: number;

  @TextField({ example: 'production' })
  release_label: string;

  @IntegerField()
  release_label_id: number;
}

export class PromptLabelsResponse {
  @ApiProperty({ type: () => [PromptLabelBody] })
  release_labels: PromptLabelBody[];
}

export function toLabelResponse(label: PromptLabel, version: PromptVersion): LabelResponse {
  return {
    id: label.id,
    name: label.name,
    prompt_id: label.promptId,
    prompt_version_id: version.id,
    prompt_version_number: label.versionNumber,
    created_at: label.createdAt.toISOString(),
  };
}
