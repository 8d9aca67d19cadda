import { ApiProperty } from '@nestjs/swagger';
import { componentOf } from '../../platform/http/fields.js';

/** A component of the API document, or null. */
export const NullableComponentField = (name: string, description: string): PropertyDecorator =>
  ApiProperty({ oneOf: [componentOf(name)], nullable: true, description });
