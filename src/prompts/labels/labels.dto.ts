import { ApiProperty } from '@nestjs/swagger';
import { BodyIdField, CreatedAtField, PathIdField } from '../../platform/http/common-fields.js';
import { MAX_ID, IntegerField, TextField } from '../../platform/http/fields.js';
import type { LabelOnVersion } from '../../registry/index.js';
import type { PromptLabel, PromptVersion } from '../shared/prompt.entity.js';

export class LabelledPromptPath {
  @PathIdField('The id of the prompt. It is the same for all its versions.')
  prompt_id: number;
}

export class LabelPath {
  @PathIdField('The id of the release label, as `release_label_id` in the list of labels.')
  prompt_label_id: number;
}

export class MoveLabelRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The number of the version to point to. Send this or `prompt_version_id`.',
    example: 1,
  })
  prompt_version_number?: number | null;

  @BodyIdField('The id of the version it points to, in place of its number.')
  prompt_version_id?: number | null;
}

export class CreateLabelRequest extends MoveLabelRequest {
  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'The name of the label, unique among those of the prompt.',
    example: 'canary',
  })
  name: string;
}

export class LabelResponse {
  @IntegerField({ description: 'The id of the release label.' })
  id: number;

  @TextField({ description: 'The name of the release label.' })
  name: string;

  @IntegerField({ description: 'The prompt that has the label.' })
  prompt_id: number;

  @IntegerField({ description: 'The id of the version that the label points to.' })
  prompt_version_id: number;

  @IntegerField({ description: 'The number of the version that the label points to.' })
  prompt_version_number: number;

  @CreatedAtField('the label')
  created_at: string;
}

export class PromptLabelBody {
  @IntegerField({ description: 'The id of the version that the label points to.' })
  prompt_version_id: number;

  @IntegerField({ description: 'The number of the version that the label points to.' })
  prompt_version_number: number;

  @TextField({ description: 'The name of the release label.', example: 'production' })
  release_label: string;

  @IntegerField({ description: 'The id of the release label, with which it is moved or deleted.' })
  release_label_id: number;
}

export class PromptLabelsResponse {
  @ApiProperty({ type: () => [PromptLabelBody], description: 'All release labels of the prompt, by name.' })
  release_labels: PromptLabelBody[];
}

export const toPromptLabelBody = (label: LabelOnVersion): PromptLabelBody => ({
  prompt_version_id: label.versionId,
  prompt_version_number: label.versionNumber,
  release_label: label.name,
  release_label_id: label.id,
});

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
