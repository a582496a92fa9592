/** The ways in which PyTorch's messages name a tensor's type. */
import { type DType, scalarTypeName } from '../formats/dtype';
import type { Device } from './tensor';

/** "torch.FloatTensor", "torch.cuda.HalfTensor". */
export function tensorTypeName(t: { readonly dtype: DType; readonly device: Device }): string {
  return `torch.${t.device === 'cuda' ? 'cuda.' : ''}${scalarTypeName[t.dtype]}Tensor`;
}

/** "cuda:0", "cpu". */
export const deviceText = (device: Device): string => (device === 'cuda' ? 'cuda:0' : 'cpu');
