import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { CreatedAtField, QueryIdField, SuccessField, UpdatedAtField } from '../../platform/http/common-fields.js';
import { IntegerField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { NumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import { boundedText, closedObject, SchemaField } from '../../platform/http/schema-field.js';
import type { ShownAbRelease } from './ab-releases.queries.js';
import { ALL_HUNDREDTHS, inHundredths, type Segment, type Share } from './choose-version.js';

const MOST_SHARES = 20;
const MOST_SEGMENTS = 50;
const MOST_KEYS = 20;

const hasTwoDecimals = (value: number) => Number.isInteger(Number((value * 100).toFixed(6)));

const ShareSchema = closedObject({
  prompt_version_number: z.int().min(1).max(MAX_ID).describe('The number of a version of the prompt.'),
  percentage: z
    .number()
    .min(0)
    .max(100)
    .refine(hasTwoDecimals, 'Input should have at most two decimals')
    .describe('The percentage of requests that get the version.'),
}).meta({ id: 'AbReleaseShare' });

const SplitSchema = z
  .array(ShareSchema)
  .min(1)
  .max(MOST_SHARES)
  .refine(addsUp, 'The percentages should add up to 100')
  .refine(namesEachOnce, 'Every version should be named once');

const SegmentSchema = closedObject({
  metadata: z
    .record(boundedText(1, 255), z.string().max(1024))
    .refine((pairs) => Object.keys(pairs).length >= 1, 'Input should have at least 1 key')
    .refine((pairs) => Object.keys(pairs).length <= MOST_KEYS, `Input should have at most ${MOST_KEYS} keys`)
    .describe('The metadata that a request needs, all of it, letter for letter.'),
  split: SplitSchema.describe('The versions that such requests get.'),
}).meta({ id: 'AbReleaseSegment' });

const SegmentsSchema = z.array(SegmentSchema).max(MOST_SEGMENTS);

function addsUp(split: Share[]): boolean {
  return split.reduce((sum, share) => sum + inHundredths(share), 0) === ALL_HUNDREDTHS;
}

function namesEachOnce(split: Share[]): boolean {
  return new Set(split.map((share) => share.prompt_version_number)).size === split.length;
}

const SPLIT =
  'The versions, and the percentage of requests that each gets. They add up to 100, with at most two decimals each.';
const SEGMENTS =
  'Requests whose `metadata_filters` have all of this metadata, letter for letter, have a split of their own. The first that matches counts.';
const EXAMPLE_SPLIT = [{ prompt_version_number: 1, percentage: 100 }];

export class AbReleasePath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  ab_release_id: number;
}

export class ListAbReleasesQuery {
  @QueryIdField('Only those of this prompt.')
  prompt_id?: number;

  @PageField()
  page?: number;

  @PerPageField(30)
  per_page?: number;
}

export class CreateAbReleaseRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'The release label whose requests are split.', example: 1 })
  prompt_label_id: number;

  @SchemaField(SplitSchema, { description: SPLIT, example: EXAMPLE_SPLIT })
  split: Share[];

  @SchemaField(SegmentsSchema, { optional: true, description: SEGMENTS, example: [] })
  segments?: Segment[];
}

export class UpdateAbReleaseRequest {
  @SchemaField(SplitSchema, { optional: true, description: `${SPLIT} As it was by default.`, example: EXAMPLE_SPLIT })
  split?: Share[];

  @SchemaField(SegmentsSchema, { optional: true, description: `Replaces all segments. ${SEGMENTS}`, example: [] })
  segments?: Segment[];
}

export class AbReleaseBody {
  @IntegerField({ description: 'The id of the release, by which it is read and changed.' })
  id: number;

  @IntegerField({ description: 'The id of the prompt that the label belongs to.' })
  prompt_id: number;

  @TextField({ description: 'The name of that prompt.' })
  prompt_name: string;

  @IntegerField({ description: 'The id of the release label whose requests are split.' })
  prompt_label_id: number;

  @TextField({ description: 'The name of that label.', example: 'production' })
  release_label: string;

  @IntegerField({ description: 'Where the label points: what its requests get when the release is deleted.' })
  base_version_number: number;

  @SchemaField(SplitSchema, { description: SPLIT })
  split: Share[];

  @SchemaField(SegmentsSchema, { description: SEGMENTS })
  segments: Segment[];

  @CreatedAtField('the release')
  created_at: string;

  @UpdatedAtField('the release')
  updated_at: string;
}

export class AbReleaseResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => AbReleaseBody, description: 'The release as it is now.' })
  ab_release: AbReleaseBody;
}

export class AbReleasesResponse extends NumberedPage {
  @ApiProperty({ type: () => [AbReleaseBody], description: 'The releases of the page.' })
  items: AbReleaseBody[];
}

export function toAbReleaseBody(release: ShownAbRelease): AbReleaseBody {
  return {
    id: release.id,
    prompt_id: release.promptId,
    prompt_name: release.promptName,
    prompt_label_id: release.promptLabelId,
    release_label: release.labelName,
    base_version_number: release.baseVersion,
    split: release.split,
    segments: release.segments,
    created_at: release.createdAt.toISOString(),
    updated_at: release.updatedAt.toISOString(),
  };
}
