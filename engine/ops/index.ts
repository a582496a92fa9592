/** Importing this file registers every op. */
import './activations';
import './arithmetic';
import './cast';
import './comparison';
import './grad-scaler';
import './linear';
import './matmul';
import './optimizer-steps';
import './power';
import './reductions';
import './selection';
import './softmax';
import './two-argument';
import './unary';
