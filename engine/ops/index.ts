/** Importing this file registers every op. */
import './arithmetic';
import './cast';
import './unary';
import './linear';
import './matmul';
import './reductions';
import './softmax';
