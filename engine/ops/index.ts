/** Importing this file registers every op. */
import './arithmetic';
import './unary';
import './linear';
import './matmul';
import './reductions';
import './softmax';
