"""How readers come and are told: links for recruiting services, their list for payment, and e-mail."""
