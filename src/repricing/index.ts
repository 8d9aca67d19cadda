export { Repricing } from './repricing.entity.js';
export { RepricingModule } from './repricing.module.js';
