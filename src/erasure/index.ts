export { Erasure } from './erasure.entity.js';
export { ErasureModule } from './erasure.module.js';
export { ErasuresService } from './erasures.service.js';
export { type Subject, subjectOf } from './person-marks.js';
export { ERASURE_EXAMPLES } from './example-ids.js';
