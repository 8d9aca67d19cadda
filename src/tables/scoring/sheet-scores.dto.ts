import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, EnumField, IntegerField, NumberField } from '../../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { NullableComponentField } from '../shared/component-field.js';
import { ConfidenceInterval } from '../scorecards/calculations.dto.js';
import { VERDICTS } from '../scorecards/verdicts.js';
import { SheetPlaceBody, toSheetPlace } from '../sheets/sheet-place.dto.js';
import { VERSION_SCORE_TYPES, type VersionScoreType } from '../../scoring/index.js';
import type { ListedScore } from './sheet-scores.queries.js';

export class ListSheetScoresQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

export class SheetScoreBody extends SheetPlaceBody {
  @IntegerField({ description: 'Number of the newest version of the sheet.' })
  sheet_version: number;

  @IntegerField({ description: 'Number of the sheet version that was scored.' })
  version: number;

  @NumberField({
    description: 'The newest score. Its range depends on how the sheet is scored; that of a scorecard is from 0 to 1.',
  })
  score: number;

  @EnumField(VERSION_SCORE_TYPES, { description: 'The kind of score: of one column, of several, or by code.' })
  score_type: VersionScoreType;

  @EnumField(VERDICTS, {
    nullable: true,
    description: 'Verdict of the scorecard; null for scores that do not come from a scorecard.',
  })
  verdict: string | null;

  @IntegerField({
    nullable: true,
    description: 'Number of rows that count; null for scores that do not come from a scorecard.',
  })
  n: number | null;

  @NullableComponentField(
    'ConfidenceInterval',
    'Confidence interval of the score; null unless a scorecard has found it, and when there are too few rows.',
  )
  confidence_interval: ConfidenceInterval | null;

  @DateTimeField({ description: 'When the score was calculated, in UTC.' })
  calculated_at: string;
}

export class SheetScoresResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [SheetScoreBody],
    description: 'The scores of this page, by default the last calculated first.',
  })
  data: SheetScoreBody[];
}

export function toSheetScore(listed: ListedScore): SheetScoreBody {
  return {
    ...toSheetPlace(listed),
    sheet_version: listed.sheetVersion,
    version: listed.version,
    score: listed.score,
    score_type: listed.scoreType,
    verdict: listed.verdict,
    n: listed.estimate?.n ?? null,
    confidence_interval: listed.estimate?.interval ?? null,
    calculated_at: listed.calculatedAt.toISOString(),
  };
}
