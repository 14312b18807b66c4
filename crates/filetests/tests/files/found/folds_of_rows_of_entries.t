# Each pass over the rows has a place of its own among the entries.
tensor A f64[4,3] coo = (0,1):2 (0,2):-1 (2,1):0.5 (2,0):3
expr y(i) = logaddexp(j, A(i,j))
> out
y = 2.1698460195562856 1.0986122886681096 3.1238729583693674 1.0986122886681096
