import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { ScoreCalculation } from './score-calculation.entity.js';
import { ScoreConfiguration } from './score-configuration.entity.js';
import { SCORE_ROWS } from './score-work.js';
import { ScoringModule } from './scoring.module.js';
import { VersionScore } from './version-score.entity.js';

defineDomain('scoring', {
  holds: 'Scores of sheets of all owners: by column or by custom code, and the scores of versions',
  uses: ['grid'],
  module: (process) => ScoringModule.for(process),
  entities: [ScoreConfiguration, ScoreCalculation, VersionScore],
  readings: { oldestWork: [oldestRow(SCORE_ROWS)] },
});
