/** Conversions between dtypes by integer code, and filling. */
import { type DType, isHalf } from '../../formats/dtype';
import type { Scalar, WgslElementwise } from '../record';
import { elementwisePlan, narrowing } from './elementwise';
import { isConstant, type KernelCall, type KernelPlan } from './kernel';

const isFloat = (dtype: DType) => dtype === 'float32' || isHalf(dtype);
const isInteger = (dtype: DType) => dtype === 'int32' || dtype === 'int64' || dtype === 'bool';

/** The expression that converts, on float32 patterns (from a float) or int32 words (from an integer); null where none is exact. */
function conversion(from: DType, to: DType): WgslElementwise | null {
  if (from === to) return { kind: 'elementwise', stored: 'a' };
  if (isFloat(from)) {
    if (isFloat(to)) return { kind: 'elementwise', bits: 'a' };
    if (to === 'bool') return { kind: 'elementwise', bits: '(a << 1u) != 0u' }; // NaN is true
    // int64 may leave the range in which the device holds it.
    return to === 'int32' ? { kind: 'elementwise', bits: 'f32_to_i32(a)' } : null;
  }
  if (!isInteger(from)) return null;
  if (isFloat(to)) {
    const narrow = narrowing(to);
    return { kind: 'elementwise', int: narrow ? `${narrow}(i32_to_f32(a))` : 'i32_to_f32(a)' };
  }
  if (to === 'bool') return { kind: 'elementwise', int: 'a != 0u' };
  return isInteger(to) ? { kind: 'elementwise', int: 'a' } : null;
}

export function castPlan(call: KernelCall): KernelPlan | null {
  const wgsl = conversion(call.inputs[0].dtype, call.outputs[0].dtype);
  // Whatever an int32 or bool converts to fits int32, in which the device holds int64.
  return wgsl && elementwisePlan(call, wgsl, true);
}

/** out[i] = value; the input gives only the shape. */
export function fillPlan(call: KernelCall): KernelPlan | null {
  const { value } = call.attrs.value as Scalar;
  const { dtype } = call.outputs[0];
  if (isConstant(call.inputs[0])) return null;
  const wgsl: WgslElementwise = { kind: 'elementwise', stored: 'a' };
  return elementwisePlan({ ...call, inputs: [{ constant: value, dtype }] }, wgsl);
}
