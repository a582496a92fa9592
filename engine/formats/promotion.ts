/**
 * Which dtype an operation on several operands has: PyTorch's type promotion
 * (https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc; c10/core/ScalarType.cpp,
 * aten/src/ATen/native/TypeProperties.cpp).
 */
import { type DType, isFloating } from './dtype';

/** What promotion needs to know of an operand. */
export interface PromotionOperand {
  readonly dtype: DType;
  /** Number of dimensions. */
  readonly dim: number;
  /** A Python number rather than a tensor ("wrapped number"): bool, int64 or float64, yielding to every tensor of its category. */
  readonly wrapped?: boolean;
}

/** Integers ordered by how much they hold; uint8 stands aside because it isn't a subset of int8. */
const signedOrder: readonly DType[] = ['int8', 'int16', 'int32', 'int64'];

/** The smallest dtype that both convert to: `torch.promote_types`. float16 with bfloat16 gives float32. */
export function promoteTypes(a: DType, b: DType): DType {
  if (a === b) return a;
  if (a === 'bool') return b;
  if (b === 'bool') return a;
  if (isFloating(a) || isFloating(b)) {
    if (!isFloating(a)) return b;
    if (!isFloating(b)) return a;
    if (a === 'float64' || b === 'float64') return 'float64';
    return 'float32'; // two different dtypes of float16, bfloat16, float32
  }
  if (a === 'uint8') return b === 'int8' ? 'int16' : b;
  if (b === 'uint8') return a === 'int8' ? 'int16' : a;
  return signedOrder[Math.max(signedOrder.indexOf(a), signedOrder.indexOf(b))];
}

const promoteOptional = (a: DType | null, b: DType | null): DType | null =>
  a === null ? b : b === null ? a : promoteTypes(a, b);

/** A lower-priority group counts only if its category (bool < integer < floating) is higher. */
function combineCategories(higher: DType | null, lower: DType | null): DType | null {
  if (higher !== null && isFloating(higher)) return higher;
  if (higher === 'bool' || (lower !== null && isFloating(lower))) return promoteOptional(higher, lower);
  return higher ?? lower;
}

/**
 * `torch.result_type` over any number of operands. Tensors with dimensions decide; 0-dim tensors, then Python numbers, count only
 * where their category is higher. So a float16 vector times a float32 scalar tensor stays float16, while a float16 vector plus a
 * float32 vector is float32.
 */
export function resultType(operands: readonly PromotionOperand[], defaultDtype: DType = 'float32'): DType {
  let withDims: DType | null = null;
  let zeroDim: DType | null = null;
  let wrapped: DType | null = null;
  for (const { dtype, dim, wrapped: isNumber } of operands) {
    if (isNumber) wrapped = promoteOptional(wrapped, isFloating(dtype) ? defaultDtype : dtype);
    else if (dim > 0) withDims = promoteOptional(withDims, dtype);
    else zeroDim = promoteOptional(zeroDim, dtype);
  }
  const result = combineCategories(withDims, combineCategories(zeroDim, wrapped));
  if (result === null) throw new Error('resultType: no operands');
  return result;
}

/** `torch.can_cast`: whether an in-place op with a result of dtype `from` may store into `to`. Only a lower category is refused. */
export function canCast(from: DType, to: DType): boolean {
  if (isFloating(from) && !isFloating(to)) return false;
  if (from !== 'bool' && !isFloating(from) && to === 'bool') return false;
  return true;
}
